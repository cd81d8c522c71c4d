import Dispatch
public import PlaybackEngine

/// Commands to the engine, and what it tells.
extension AVPlayer {
    /// The engine's clock, nil before the first item.
    var clock: PlaybackClock? { engine?.engine.clock }

    func post(_ command: EngineCommand) { engine?.engine.post(command) }

    /// Starts the engine where it has not been: with the first item.
    func startEngine() {
        guard engine == nil, !isShutDown, playerStatus != .failed else { return }
        let scheduler = environment.scheduler
        let started = environment.engineHost.start(opener: environment.opener, outputs: chosenOutputs ?? environment.outputs) { [weak self] event in
            scheduler.async { [weak self] in self?.handle(event) }
        }
        engine = EngineLease(started)
        position.setClock(started.clock)
        if settings != EngineSettings() { post(.configure(settings)) }
        if playerStatus == .unknown { hub.change([.status]) { playerStatus = .readyToPlay } }
    }

    /// Asks the engine to look for a better output than the one it has. Not in Apple's vocabulary.
    public func reselectOutput() {
        demandMainQueue()
        post(.reselectOutput)
    }
    /// Moves to the first of these outputs that opens, keeping the position. Not in Apple's vocabulary.
    public func setOutputs(_ outputs: [any OutputProvider]) {
        demandMainQueue()
        chosenOutputs = outputs
        post(.setOutputs(outputs))
    }

    func handle(_ event: EngineEvent) {
        guard !isShutDown else { return }
        MainTurn.perform {
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
            case .outputChanged(let description, let isAudible, let cause):
                if description != currentOutput { hub.change([.output]) { currentOutput = description } }
                session.outputChanged(to: description, isAudible: isAudible, by: cause)
            case .streamSignal(let signal): session.receive(SystemSignal(signal))
            case .outputFailed:
                apply(.outputFailed)
                outputDidFail?()
            case .packetsSkipped(let id, let count):
                figures.noteSkipped(count, of: id)
                ownItem(id)?.logSkippedPackets(count)
            case .underran: figures.underruns += 1
            }
            catchUp()
            alignWithHostTime()
            rearm()
        }
    }

    func ownItem(_ id: ItemID) -> AVPlayerItem? { ownItems().first { $0.engineID == id } }

    func opened(_ id: ItemID, _ info: MediaInfo) {
        guard let item = ownItem(id) else { return }
        item.engineOpened(info)
        if item.status == .failed { return didFail(item) }
        guard item === playingItem else { return }
        beginAtPendingStart(item)
        postPendingSeek()
        apply(.itemReady(id, canReverse: item.canPlayReverse))
    }

    func beginAtPendingStart(_ item: AVPlayerItem) {
        landedTime = item.pendingStart
        guard item.pendingStart != .zero else { return item.completeStart(true) }
        if item.canSeek(to: item.pendingStart) { return item.completeStart(true) }
        // It cannot begin there after all (R-SEEK-08): at the start, then.
        item.setPendingStart(.zero, completion: nil)
        reload(item, at: .zero)
    }

    func failed(_ id: ItemID, _ error: PlaybackError) {
        guard let item = ownItem(id) else { return }
        if item === playingItem, item.status == .readyToPlay, hasUnheard(item) {
            // What has been rendered is still heard, also where playing has not begun (R-EOI-07): more than there is will not come.
            pendingFailure = error
            bufferChanged(item, item.bufferLevel ?? BufferLevel(seconds: 0, isEmpty: false, isFull: true, isLikelyToKeepUp: false))
            return
        }
        item.engineFailed(error)
        didFail(item)
    }

    func hasUnheard(_ item: AVPlayerItem) -> Bool {
        guard let clock, !machine.isPastEnd, seeks.pending?.isPosted != true else { return false }
        let heard = clock.now().frame
        return clock.timeline.segments.contains { $0.item == item.engineID && ($0.end ?? clock.timeline.written) > max(heard, position.rule.floor) }
    }

    func bufferChanged(_ item: AVPlayerItem, _ told: BufferLevel) {
        var level = told
        if item === playingItem, pendingFailure != nil { (level.isEmpty, level.isFull) = (false, true) }
        item.bufferChanged(level)
        if item === playingItem { apply(.bufferChanged(item.engineID, level)) }
    }

    /// An item has failed, and has said so (R-QUEUE-07).
    func didFail(_ item: AVPlayerItem) {
        guard item === playingItem else { return upcomingItemFailed(item) }
        cancelSeeks()
        apply(.itemFailed(item.engineID, isSkipped: skipsFailedItems))
    }
}

/// Owns a running engine: ends it in the background when its player is dropped.
final class EngineLease: Sendable {
    let engine: any EngineHandle
    init(_ engine: any EngineHandle) { self.engine = engine }
    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}
