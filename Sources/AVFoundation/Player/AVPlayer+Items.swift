import CoreMedia
import PlaybackEngine

/// How items come and go.
extension AVPlayer {
    /// How another item comes to the engine.
    enum Transition {
        /// The engine has joined it and it is being heard.
        case joined
        /// The engine knows it as the first upcoming one and will join it as soon as it is open.
        case awaited
        /// The engine knows it as the first upcoming one and goes to it at once.
        case advancing
        case loading
    }

    func setCurrentItem(_ item: AVPlayerItem?, by transition: Transition) {
        MainTurn.perform {
            // R-REPL-03: what waits for the old item hears of its end first.
            cancelSeeks()
            pendingFailure = nil
            let formerLevel = playingItem?.bufferLevel
            if case .joined = transition, item?.bufferLevel == nil { if let formerLevel { item?.bufferChanged(formerLevel) } }
            position.setRule(HeardPosition.Rule(item: item?.engineID, rest: item?.pendingStart ?? .zero, landedSeek: seeks.newest))
            hub.change([.currentItem]) { playingItem = item }
            timeObservers.jump(to: item?.pendingStart ?? .zero)
            guard let item else {
                apply(.itemChanged(nil))
                post(.unload)
                postedUpcoming = []
                return
            }
            let isJoined = if case .joined = transition { true } else { false }
            if !isJoined { item.forgetBuffer() }
            apply(.itemChanged(machineItem(item), keepsFlowing: isJoined))
            switch transition {
            case .joined, .awaited: break
            case .advancing: post(.advance)
            case .loading: load(item)
            }
            pitchAlgorithmDidChange(of: item)
            forwardBufferDidChange(of: item)
            postUpcoming(always: true)
            if item.status == .readyToPlay { beginAtPendingStart(item) }
        }
    }

    func machineItem(_ item: AVPlayerItem) -> PlaybackMachine.Item {
        let phase: PlaybackMachine.Item.Phase =
            switch item.status {
            case .unknown: .loading
            case .readyToPlay: .ready
            case .failed: .failed
            }
        return PlaybackMachine.Item(id: item.engineID, phase: phase, canReverse: item.canPlayReverse, buffer: item.bufferLevel)
    }

    func load(_ item: AVPlayerItem) {
        startEngine()
        postedUpcoming = []
        guard item.status != .failed else { return post(.unload) }
        guard let request = item.loadRequest() else {
            post(.unload)
            return failLater(item)
        }
        post(.load(request))
    }

    /// An item whose URL can never be opened fails like one that cannot be opened now: in a later turn.
    func failLater(_ item: AVPlayerItem) {
        let error = item.asset.sourceError ?? PlaybackError(.unknown, "There is nothing to open.")
        let id = item.engineID
        environment.scheduler.async { [weak self] in self?.handle(.failed(id, error)) }
    }

    /// Tells the engine what follows.
    func postUpcoming(always: Bool = false) {
        guard engine != nil, let current = playingItem?.engineID else { return }
        // Behind an item that failed the engine joins nothing.
        let items = playingItem?.status == .failed ? [] : upcomingItems().filter { $0.status != .failed }
        guard always || items.map(\.engineID) != postedUpcoming else { return }
        var requests: [LoadRequest] = []
        for item in items {
            if let request = item.loadRequest() { requests.append(request) } else { failLater(item) }
        }
        let ids = requests.map(\.item)
        if ids.isEmpty, postedUpcoming.isEmpty { return }
        postedUpcoming = ids
        post(.setUpcoming(requests, after: current))
    }

    /// The start or the end of an item was set after the engine had been told of it.
    func requestDidChange(of item: AVPlayerItem) {
        guard engine != nil else { return }
        if item === playingItem {
            reload(item, at: currentTime())
        } else if postedUpcoming.contains(item.engineID) {
            item.renewEngineID()
            postUpcoming()
        }
    }

    /// Opens the current item anew at a time: everything about it stays, sound goes on when there is some.
    func reload(_ item: AVPlayerItem, at time: CMTime) {
        MainTurn.perform {
            cancelSeeks()
            item.setPendingStart(time, completion: nil)
            item.renewEngineID()
            item.forgetBuffer()
            position.setRule(HeardPosition.Rule(item: item.engineID, rest: time, landedSeek: seeks.newest))
            apply(.itemChanged(machineItem(item)))
            load(item)
            postUpcoming(always: true)
        }
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

    /// What is heard of an item, nil unless it is the current one.
    func time(of item: AVPlayerItem) -> CMTime? { item === playingItem ? currentTime() : nil }
}
