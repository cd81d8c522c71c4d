import CoreMedia
import Platform
import PlaybackEngine

/// Changes of the current item and of the upcoming items.
@Turn extension AVPlayer {
    enum Transition {
        /// The item follows without a gap, and is already heard.
        case joined
        /// The item is the engine's first upcoming item, which is joined without a gap as soon as its medium is open.
        case awaited
        /// The item is the engine's first upcoming item, to which the engine is told to skip.
        case advancing
        /// The item is not upcoming: the engine discards its items, and opens it.
        case loading
    }

    /// Makes an item current, in this order:
    ///
    /// 1. The pending seek of the former item is completed, before the observers of `currentItem` (R-REPL-03).
    /// 2. A joined item without a buffer level takes over that of the former item, without its end: the joined item is heard, so its buffer must not
    ///    appear empty.
    /// 3. `position` gets its rule before `currentItem` changes, so that a reader gets the new item's position.
    /// 4. `PlaybackMachine` decides whether playback continues. The engine gets the item, its settings, and the upcoming items, also if unchanged,
    ///    because they now follow another item.
    /// 5. The start position of a ready item is checked last: if invalid, the item is loaded again (`reload`).
    func setCurrentItem(_ item: AVPlayerItem?, by transition: Transition) {
        // R-REPL-03: the pending seek is completed first.
        cancelSeeks()
        lineup.pendingFailure = nil
        if case .joined = transition, item?.bufferLevel == nil, var level = playingItem?.bufferLevel {
            level.end = nil
            item?.bufferChanged(level)
        }
        position.setRule(HeardPosition.Rule(item: item?.engineID, rest: item?.pendingStart ?? .zero, landedSeek: seeks.newest))
        let former = playingItem
        hub.change([.currentItem]) { lineup.current = item }
        former?.updateDemand()
        item?.updateDemand()
        timeObservers.jump(to: item?.pendingStart ?? .zero)
        guard let item else {
            apply(.itemChanged(nil))
            engine.post(.unload)
            lineup.followers = []
            return
        }
        let isJoined = if case .joined = transition { true } else { false }
        if !isJoined { item.bufferChanged(nil) }
        apply(.itemChanged(machineItem(item), keepsFlowing: isJoined))
        switch transition {
        case .joined, .awaited: break
        case .advancing: engine.post(.advance)
        case .loading: load(item)
        }
        pitchAlgorithmDidChange(of: item)
        forwardBufferDidChange(of: item)
        postUpcoming(always: true)
        if item.phase == .readyToPlay { beginAtPendingStart(item) }
    }

    func machineItem(_ item: AVPlayerItem) -> PlaybackMachine.Item {
        let phase: PlaybackMachine.Item.Phase =
            switch item.phase {
            case .unknown: .loading
            case .readyToPlay: .ready
            case .failed: .failed
            }
        return PlaybackMachine.Item(id: item.engineID, phase: phase, canReverse: item.canPlayReverse, buffer: item.bufferLevel)
    }

    func load(_ item: AVPlayerItem) {
        startEngine()
        item.setHeld(false)
        lineup.followers = []
        guard item.phase != .failed else { return engine.post(.unload) }
        guard let request = item.loadRequest() else {
            engine.post(.unload)
            return failLater(item)
        }
        engine.post(.load(request))
    }

    /// Fails an item whose URL can never be opened. It fails later, like an item that the engine fails to open.
    func failLater(_ item: AVPlayerItem) {
        let error = item.asset.sourceError ?? PlaybackError(.unknown, "The asset has no media that can be opened.")
        let id = item.engineID
        environment.scheduler.async { [weak self] in
            guard let self else { return }
            Turn.perform { self.handle(.failed(id, error)) }
        }
    }

    func postUpcoming(always: Bool = false) {
        guard engine.isStarted, let current = playingItem?.engineID else { return }
        // If the current item has failed, the engine gets no upcoming items.
        let items = playingItem?.phase == .failed ? [] : upcomingItems().filter { $0.phase != .failed }
        guard always || items.map(\.engineID) != lineup.followers else { return }
        var requests: [LoadRequest] = []
        for item in items {
            if let request = item.loadRequest() { requests.append(request) } else { failLater(item) }
        }
        let ids = requests.map(\.item)
        if ids.isEmpty, lineup.followers.isEmpty { return }
        lineup.followers = ids
        engine.post(.setUpcoming(requests, after: current))
    }

    /// Called when a property of the item's `LoadRequest` has changed. If the engine already has the item, a current item is opened again at its
    /// position, and an upcoming one is sent as new.
    func requestDidChange(of item: AVPlayerItem) {
        guard engine.isStarted else { return }
        if item === playingItem {
            reload(item, at: heardTime)
        } else if lineup.followers.contains(item.engineID) {
            item.renewEngineID()
            postUpcoming()
        }
    }

    /// Opens the item again. The status stays, the buffer counts as empty until the engine reports, and playback continues as soon as
    /// audio is available.
    func reload(_ item: AVPlayerItem, at time: CMTime) {
        rest(item, at: time)
        load(item)
        postUpcoming(always: true)
    }

    /// Lets the current item rest at a position, without audio, until it is loaded.
    func rest(_ item: AVPlayerItem, at time: CMTime) {
        cancelSeeks()
        item.setPendingStart(time, completion: nil)
        item.renewEngineID()
        item.bufferChanged(nil)
        position.setRule(HeardPosition.Rule(item: item.engineID, rest: time, landedSeek: seeks.newest))
        apply(.itemChanged(machineItem(item)))
    }

    func pitchAlgorithmDidChange(of item: AVPlayerItem) {
        let wanted = item.audioTimePitchAlgorithm.engineAlgorithm
        guard item === playingItem else { return }
        configure { $0.pitchAlgorithm = wanted }
    }

    func forwardBufferDidChange(of item: AVPlayerItem) {
        guard item === playingItem else { return }
        configure { $0.forwardBuffer = item.preferredForwardBufferDuration }
    }

    /// The item's position; nil if it is not the current item.
    func time(of item: AVPlayerItem) -> CMTime? { item === playingItem ? heardTime : nil }
}
