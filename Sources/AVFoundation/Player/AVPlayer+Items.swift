import CoreMedia
import Platform
import PlaybackEngine

/// The player's changes of the current item and of the upcoming items.
extension AVPlayer {
    /// How the engine changes to a new current item.
    enum Transition {
        /// The engine has joined the new item to the former item without a gap, and the new item is already heard.
        case joined
        /// The new item is the first of the engine's upcoming items. The engine will join the new item without a gap as soon as its medium is open.
        case awaited
        /// The new item is the first of the engine's upcoming items. The player commands the engine to skip to the new item immediately.
        case advancing
        /// The engine does not have the new item as its first upcoming item. The engine discards all its items, and opens the new item.
        case loading
    }

    /// Makes `item` the current item, in one turn of the main actor. The observers are notified at the end of the turn.
    ///
    /// The order of the acts:
    /// 1. The pending seek of the former item is completed, so that its completion is called before the observers of `currentItem` (R-REPL-03).
    /// 2. A joined item is already heard. If the engine has not reported the item's buffer level yet, the item takes over the level of the former
    ///    item without its end, because without a level the buffer of an item that is heard would appear empty.
    /// 3. `position` gets the rule (`HeardPosition.Rule`) for the new item before `currentItem` changes, so that a reader of the new `currentItem`
    ///    receives the position of this item.
    /// 4. `PlaybackMachine` decides whether playback continues, and the engine then receives the command for the item, the item's settings, and the
    ///    upcoming items. The upcoming items are sent even if they have not changed, because they now follow another item.
    /// 5. If the item is already ready, its start position is checked last: if the position is invalid, the player loads the item again (`reload`).
    func setCurrentItem(_ item: AVPlayerItem?, by transition: Transition) {
        MainTurn.perform {
            // R-REPL-03: when the current item changes, the pending seek of the former item is completed first.
            cancelSeeks()
            lineup.discardFailure()
            if case .joined = transition, item?.bufferLevel == nil, var level = playingItem?.bufferLevel {
                level.end = nil
                item?.bufferChanged(level)
            }
            position.setRule(HeardPosition.Rule(item: item?.engineID, rest: item?.pendingStart ?? .zero, landedSeek: seeks.newest))
            let former = playingItem
            hub.change([.currentItem]) { lineup.setCurrent(item) }
            former?.updateDemand()
            item?.updateDemand()
            timeObservers.jump(to: item?.pendingStart ?? .zero)
            guard let item else {
                apply(.itemChanged(nil))
                engine.post(.unload)
                lineup.setFollowers([])
                return
            }
            let isJoined = if case .joined = transition { true } else { false }
            if !isJoined { item.resetBuffer() }
            apply(.itemChanged(machineItem(item), keepsFlowing: isJoined))
            switch transition {
            case .joined, .awaited: break
            case .advancing: engine.post(.advance)
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
        lineup.setFollowers([])
        guard item.status != .failed else { return engine.post(.unload) }
        guard let request = item.loadRequest() else {
            engine.post(.unload)
            return failLater(item)
        }
        engine.post(.load(request))
    }

    /// Fails an item whose URL can never be opened. The item fails in a later turn of the main actor, like an item that the engine fails to open.
    func failLater(_ item: AVPlayerItem) {
        let error = item.asset.sourceError ?? PlaybackError(.unknown, "The asset has no media that can be opened.")
        let id = item.engineID
        environment.scheduler.async { [weak self] in self?.handle(.failed(id, error)) }
    }

    /// Sends the upcoming items to the engine.
    func postUpcoming(always: Bool = false) {
        guard engine.isStarted, let current = playingItem?.engineID else { return }
        // If the current item has failed, the engine gets no upcoming items.
        let items = playingItem?.status == .failed ? [] : upcomingItems().filter { $0.status != .failed }
        guard always || items.map(\.engineID) != lineup.followers else { return }
        var requests: [LoadRequest] = []
        for item in items {
            if let request = item.loadRequest() { requests.append(request) } else { failLater(item) }
        }
        let ids = requests.map(\.item)
        if ids.isEmpty, lineup.followers.isEmpty { return }
        lineup.setFollowers(ids)
        engine.post(.setUpcoming(requests, after: current))
    }

    /// Sends a changed start, end or loop of an item to the engine, which already has the item. The medium of the current item is opened again at the
    /// current position; an upcoming item is sent again as a new one.
    func requestDidChange(of item: AVPlayerItem) {
        guard engine.isStarted else { return }
        if item === playingItem {
            reload(item, at: currentTime())
        } else if lineup.followers.contains(item.engineID) {
            item.renewEngineID()
            postUpcoming()
        }
    }

    /// Reopens the medium of the current item at the media time `time`. The item's status does not change, and its buffer counts as empty until the
    /// engine reports a level. Playback continues as soon as audio is available.
    func reload(_ item: AVPlayerItem, at time: CMTime) {
        MainTurn.perform {
            cancelSeeks()
            item.setPendingStart(time, completion: nil)
            item.renewEngineID()
            item.resetBuffer()
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

    /// Returns the heard position of an item; nil if the item is not the current item of this player.
    func time(of item: AVPlayerItem) -> CMTime? { item === playingItem ? currentTime() : nil }
}
