import Platform
import PlaybackEngine

/// The start of the player's engine, and the handling of the engine's events.
@Turn extension AVPlayer {
    /// Starts the player's engine when the player has its first item.
    func startEngine() {
        guard !engine.isStarted, !isShutDown else { return }
        let scheduler = environment.scheduler
        // The engine's thread must not load a strong reference, which could be the last one: it would end the player, and wait for itself.
        let receive: @MainActor @Sendable (EngineEvent) -> Void = { [weak self] event in
            guard let self else { return }
            Turn.perform { self.handle(event) }
        }
        let clock = engine.start(in: environment, output: outputControl.engineWillStart()) { event in scheduler.async { receive(event) } }
        position.setClock(clock)
        if engine.settings != EngineSettings() { engine.post(.configure(engine.settings)) }
        becomeReady()
    }

    func handle(_ event: EngineEvent) {
        guard !isShutDown else { return }
        switch event {
        case .opened(let id, let info): opened(id, info)
        case .failed(let id, let error): failed(id, error)
        case .timelineChanged: break
        case .bufferChanged(let id, let level):
            if let item = ownItem(id) { bufferChanged(item, level) }
        case .seekCompleted(let seek, let id, let landed, let frame):
            if playingItem?.engineID == id { seekCompleted(seek, landed: landed, frame: frame) }
        case .seekFailed(let seek, let id, _):
            if playingItem?.engineID == id { seekFailed(seek) }
        case .durationChanged(let id, let duration): ownItem(id)?.durationChanged(duration)
        case .positionEstimated(let id, let isEstimated): ownItem(id)?.positionEstimated(isEstimated)
        case .outputChanged(let description, let format, let isAudible, let cause):
            outputChanged(to: description, format: format, error: nil)
            session.outputChanged(to: description, isAudible: isAudible, by: cause)
            session.setOutputVolume(engine.clock?.deviceVolume ?? 1)
            outputControl.didOpen(description, isAudible: isAudible, by: cause)
        case .streamSignal(let signal): outputControl.receive(signal)
        case .volumeChanged(let volume, let isMuted): outputControl.handle(.volumeReported(volume, isMuted: isMuted))
        case .deviceVolumeChanged: session.setOutputVolume(engine.clock?.deviceVolume ?? 1)
        case .outputLost(let error):
            outputChanged(to: engine.output, format: engine.outputFormat, error: error)
            notify(.outputLost(error))
            outputControl.handle(.lost)
        case .outputFailed(let error):
            outputChanged(to: engine.output, format: engine.outputFormat, error: error)
            notify(.noOutput(error))
            outputControl.handle(.unavailable)
        case .outputRefused(let error):
            notify(.outputRefused(error))
            outputControl.handle(.refused)
        case .packetsSkipped(let id, let count):
            engine.figures.noteSkipped(count, of: id)
            ownItem(id)?.logSkippedPackets(count)
        case .underran: engine.figures.underruns += 1
        case .clipped(let frames): engine.figures.clippedFrames += frames
        }
        catchUp()
        alignWithHostTime()
        rearm()
    }

    /// Stores the output and its format in one change, so that no observer sees the format of one device beside the name of another.
    private func outputChanged(to output: OutputDescription?, format: AudioFormat?, error: PlaybackError?) {
        var keys: [StateKey] = []
        if output != engine.output { keys.append(.output) }
        if format != engine.outputFormat { keys.append(.outputFormat) }
        if error != engine.outputError { keys.append(.outputError) }
        hub.change(keys) { engine.setOutput(output, format: format, error: error) }
    }

    func ownItem(_ id: ItemID) -> AVPlayerItem? { ownItems().first { $0.engineID == id } }

    func opened(_ id: ItemID, _ info: MediaInfo) {
        guard let item = ownItem(id) else { return }
        item.engineOpened(info)
        if item.phase == .failed { return didFail(item) }
        guard item === playingItem else { return }
        beginAtPendingStart(item)
        postPendingSeek()
        apply(.itemReady(id, canReverse: item.canPlayReverse))
    }

    func beginAtPendingStart(_ item: AVPlayerItem) {
        seeks.landed(at: item.pendingStart)
        guard item.pendingStart != .zero else { return item.completeStart(true) }
        if item.canSeek(to: item.pendingStart) { return item.completeStart(true) }
        // If an item cannot begin at the requested position (R-SEEK-08), it begins at its start.
        item.setPendingStart(.zero, completion: nil)
        reload(item, at: .zero)
    }

    func failed(_ id: ItemID, _ error: PlaybackError) {
        guard let item = ownItem(id) else { return }
        if item === playingItem, item.phase == .readyToPlay, hasUnheard {
            // The rendered audio of an item is still heard before the item fails, even if playback has not started yet (R-EOI-07). The engine renders
            // no more audio of an item after an error.
            lineup.pendingFailure = error
            bufferChanged(item, item.bufferLevel ?? BufferLevel(seconds: 0, isEmpty: false, isFull: true, isLikelyToKeepUp: false))
            return
        }
        if let list = error.list, item.phase == .unknown, let handler = listHandler {
            // The handler may change the queue, so it is called like an observer, after the turn.
            return Turn.enqueueOnMain { [weak self] in
                guard let self, Turn.perform({ ownItem(id) === item }), let failure = handler(item, list, error) else { return }
                turn {
                    item.engineFailed(failure)
                    didFail(item)
                }
            }
        }
        fail(item, error)
    }

    /// Whether rendered audio of the current item has not been heard yet.
    var hasUnheard: Bool {
        guard !machine.isPastEnd, seeks.pending?.isPosted != true else { return false }
        return position.timeline()?.hasUnheard ?? false
    }

    func bufferChanged(_ item: AVPlayerItem, _ told: BufferLevel) {
        var level = told
        if item === playingItem, lineup.pendingFailure != nil { (level.isEmpty, level.isFull) = (false, true) }
        item.bufferChanged(level)
        if item === playingItem { apply(.bufferChanged(item.engineID, level)) }
    }

    /// Handles the failure of the player's item, after the item has published its failure (R-QUEUE-07).
    func didFail(_ item: AVPlayerItem) {
        guard item === playingItem else { return upcomingItemFailed(item) }
        cancelSeeks()
        apply(.itemFailed(item.engineID, isSkipped: skipsFailedItems))
    }
}
