import PlaybackEngine

/// All decisions of a player, as a value: events in, effects out, which `AVPlayer` performs. The status never contradicts the rate (R-TCS-05),
/// because `status` is derived from the requested rate, the item and `isFlowing`.
struct PlaybackMachine: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        enum Phase: Hashable, Sendable { case loading, ready, failed }
        var id: ItemID
        var phase: Phase
        /// The buffer level that the engine reported last.
        var buffer: BufferLevel?
        var canReverse = false
        var isSeeking = false
        /// Whether the end in the direction of playback was heard, and the position has not changed since (R-EOI-03).
        var isAtEnd = false
        /// Whether the item was at its end when the seek in progress began.
        var seeksFromEnd = false
        /// True from a seek, which empties the buffer, until there is enough audio again: an empty buffer is then no stall.
        var isRefilling = false
        init(id: ItemID, phase: Phase, canReverse: Bool = false, buffer: BufferLevel? = nil) {
            self.id = id
            self.phase = phase
            self.canReverse = canReverse
            self.buffer = buffer
        }

        var isSufficient: Bool { buffer.map { $0.isLikelyToKeepUp || $0.isFull } ?? false }
        var isEmpty: Bool { buffer?.isEmpty ?? true }
    }

    /// The reasons for waiting (R-WAIT-01…04).
    enum Reason: Hashable, Sendable { case noItemToPlay, evaluatingBufferingRate, toMinimizeStalls }
    enum Status: Hashable, Sendable { case paused, waiting(Reason), playing }
    enum EndAction: Hashable, Sendable { case advance, pause, none }

    /// The reason of a rate change (R-RDC-02); nil if the notification has no reason (R-RDC-04).
    enum RateReason: Hashable, Sendable { case setRateCalled, setRateFailed, audioSessionInterrupted }

    enum Event: Hashable, Sendable {
        /// `immediately`: requested by `playImmediately` (R-IMM-01).
        case rateRequested(Double, immediately: Bool = false)
        case defaultRateSet(Double)
        case automaticWaitingSet(Bool)
        case endActionSet(EndAction)
        /// `keepsFlowing`: the item follows without a gap, and is already heard.
        case itemChanged(Item?, keepsFlowing: Bool = false)
        case itemReady(ItemID, canReverse: Bool)
        /// `isSkipped`: a queue player makes the next item current at once (R-QUEUE-07).
        case itemFailed(ItemID, isSkipped: Bool)
        case bufferChanged(ItemID, BufferLevel)
        case seekBegan
        /// The seek ended, and no other is pending. `moved`: the position changed.
        case seekEnded(moved: Bool)
        /// All rendered audio was heard, but not the item's end.
        case underran
        /// The item's end was heard (R-EOI-07).
        case endHeard
        case interrupted
        case interruptionEnded(shouldResume: Bool)
        /// The active device was removed, and playback must not continue on another (R-ROUTE-03).
        case routeLost
        /// The output has failed for good: its file cannot be written.
        case outputFailed
        /// A preroll for this rate was requested (R-PREROLL-01).
        case prerollRequested(Double)
        case prerollCancelled
        /// A rate was requested from a host time on: the position does not advance until the event `letGo` (R-SYNC-02).
        case heldRateRequested(Double)
        case letGo
    }

    /// The effects, which the player performs in their order.
    enum Effect: Hashable, Sendable {
        case setEngineRunning(Bool)
        case setEngineRate(Double)
        case postRateDidChange(RateReason?)
        case postStalled
        case postDidPlayToEnd
        case postFailedToPlayToEnd
        /// Makes the next item current (R-EOI-01).
        case advance
        /// Lets the position advance without audio (action `none`, R-EOI-01).
        case countPastEnd
        /// Ends the preroll; true if playback at its rate is prepared.
        case endPreroll(Bool)
    }

    /// The absolute values of the rates that can be played.
    static let achievableRates = 1.0 / 32...32

    private(set) var rate = 0.0
    private(set) var defaultRate = 1.0
    private(set) var waitsAutomatically = true
    private(set) var endAction: EndAction
    private(set) var item: Item?
    /// Whether the position advances, or will as soon as the device has started.
    private(set) var isFlowing = false
    /// Whether the position advances beyond the end, without audio.
    private(set) var isPastEnd = false
    private(set) var preroll: Double?
    /// Whether playback waits for the event `letGo`, which comes at the requested host time.
    private(set) var isHeldBack = false
    /// Whether playback may start with any amount of data (`playImmediately`).
    private var isImmediate = false
    /// The rate that is restored when an interruption of the session ends.
    private var interruptedRate: Double?
    private var engineRate = 1.0
    private var isEngineRunning = false

    init(endAction: EndAction) { self.endAction = endAction }

    var status: Status {
        if rate == 0 { return .paused }
        if isFlowing { return .playing }
        guard let item else { return .waiting(.noItemToPlay) }
        // R-WAIT-02: the reason is "evaluating" until a buffer level was reported; R-STALL-04: without automatic waiting it always is.
        return .waiting(item.phase == .ready && waitsAutomatically && item.buffer != nil ? .toMinimizeStalls : .evaluatingBufferingRate)
    }
    /// The rate at which media time advances (R-RATE-03).
    var effectiveRate: Double { isFlowing ? rate : 0 }

    // MARK: Events

    mutating func handle(_ event: Event) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .rateRequested(let rate, let immediately): request(rate, immediately: immediately, &effects)
        case .defaultRateSet(let rate): defaultRate = rate
        case .automaticWaitingSet(let waits): waitsAutomatically = waits
        case .endActionSet(let action): setEndAction(action, &effects)
        case .itemChanged(let new, let keepsFlowing): change(to: new, keepsFlowing: keepsFlowing, &effects)
        case .itemReady(let id, let canReverse):
            guard item?.id == id, item?.phase == .loading else { break }
            item?.phase = .ready
            item?.canReverse = canReverse
            if !isAchievable(rate) { stop(reason: .setRateFailed, &effects) }
        case .itemFailed(let id, let isSkipped): fail(id, isSkipped: isSkipped, &effects)
        case .bufferChanged(let id, let level):
            guard item?.id == id else { break }
            item?.buffer = level
            if item?.isSufficient == true { item?.isRefilling = false }
        case .seekBegan:
            // A seek ends the wait for a host time (R-SYNC-02).
            isHeldBack = false
            // R-EOI-04: if a rate is requested during a seek from the end, playback starts after the landing.
            item?.isSeeking = true
            if let atEnd = item?.isAtEnd, atEnd, !isPastEnd {
                item?.isAtEnd = false
                item?.seeksFromEnd = true
            }
        case .seekEnded(let moved): endSeek(moved: moved, &effects)
        case .underran: underrun(&effects)
        case .endHeard: end(&effects)
        case .interrupted:
            guard rate != 0 else { break }
            interruptedRate = rate
            stop(reason: .audioSessionInterrupted, &effects)
        case .interruptionEnded(let shouldResume):
            guard let resumed = interruptedRate else { break }
            interruptedRate = nil
            if shouldResume, rate == 0 { request(resumed, immediately: false, &effects) }
        case .routeLost:
            // Also an interruption that lasts does not resume on the other device.
            interruptedRate = nil
            stop(reason: nil, &effects)
        case .outputFailed: stop(reason: .setRateFailed, &effects)
        case .prerollRequested(let rate): preroll = rate
        case .prerollCancelled: endPreroll(false, &effects)
        case .heldRateRequested(let wanted):
            request(wanted, immediately: false, &effects)
            if rate != 0, !isPastEnd { (isHeldBack, isFlowing) = (true, false) }
        case .letGo: isHeldBack = false
        }
        settle(&effects)
        settlePreroll(after: event, &effects)
        return effects
    }

    private func isAchievable(_ rate: Double) -> Bool {
        if rate == 0 { return true }
        guard Self.achievableRates.contains(abs(rate)) else { return false }
        guard rate < 0, let item, item.phase == .ready else { return true }
        return item.canReverse
    }

    private mutating func request(_ wanted: Double, immediately: Bool, _ effects: inout [Effect]) {
        interruptedRate = nil
        isHeldBack = false
        guard isAchievable(wanted), wanted == 0 || item?.phase != .failed else {
            if rate == 0 { effects.append(.postRateDidChange(.setRateFailed)) } else { stop(reason: .setRateFailed, &effects) }
            return
        }
        if wanted == 0 { return stop(reason: .setRateCalled, &effects) }
        let changed = rate != wanted
        if rate == 0, item?.isAtEnd == true {
            if wanted < 0, item?.canReverse == true {
                item?.isAtEnd = false
            } else if endAction == .none {
                isPastEnd = true
                isFlowing = true
                effects.append(.countPastEnd)
            } else {
                // R-EOI-04: at the end, a request for a rate has no effect before a seek.
                return
            }
        }
        if immediately, !waitsAutomatically, !isFlowing, let item, item.phase == .ready, item.buffer != nil, item.isEmpty {
            // R-IMM-02 and R-STALL-02: playback stops as at a stall, but without the notification.
            return stop(reason: nil, &effects)
        }
        rate = wanted
        if immediately { isImmediate = true }
        if changed { effects.append(.postRateDidChange(.setRateCalled)) }
    }

    private mutating func stop(reason: RateReason?, _ effects: inout [Effect]) {
        isFlowing = false
        isImmediate = false
        isPastEnd = false
        isHeldBack = false
        guard rate != 0 else { return }
        rate = 0
        effects.append(.postRateDidChange(reason))
    }

    private mutating func endSeek(moved: Bool, _ effects: inout [Effect]) {
        let returnsToEnd = item?.seeksFromEnd == true && !moved
        item?.isSeeking = false
        item?.seeksFromEnd = false
        if moved {
            item?.isAtEnd = false
            item?.isRefilling = true
            if isPastEnd { leavePastEnd() }
        } else if returnsToEnd {
            item?.isAtEnd = true
            stop(reason: nil, &effects)
        }
    }

    private mutating func setEndAction(_ action: EndAction, _ effects: inout [Effect]) {
        endAction = action
        // R-EOI-01: a change from `none` takes effect at once.
        guard isPastEnd else { return }
        switch action {
        case .none: break
        case .pause: stop(reason: nil, &effects)
        case .advance:
            leavePastEnd()
            effects.append(.advance)
        }
    }

    private mutating func leavePastEnd() {
        isPastEnd = false
        isFlowing = false
    }

    /// Changes the item. Playback continues only if `keepsFlowing` and the new item is ready. The rate becomes 0 if the item has failed or cannot be
    /// played at that rate.
    private mutating func change(to new: Item?, keepsFlowing: Bool, _ effects: inout [Effect]) {
        if !(keepsFlowing && isFlowing && new?.phase == .ready) { isFlowing = false }
        isPastEnd = false
        isHeldBack = false
        item = new
        if new?.phase == .failed {
            stop(reason: .setRateFailed, &effects)
        } else if !isAchievable(rate) {
            stop(reason: .setRateFailed, &effects)
        }
    }

    private mutating func fail(_ id: ItemID, isSkipped: Bool, _ effects: inout [Effect]) {
        guard let failing = item, failing.id == id, failing.phase != .failed else { return }
        item?.phase = .failed
        isPastEnd = false
        // If the item is skipped, the event `itemChanged` follows, and decides whether playback continues.
        if !isSkipped {
            isFlowing = false
            stop(reason: .setRateFailed, &effects)
        }
        // An item that was not ready has not started playing, and only its status reports the error.
        if failing.phase == .ready { effects.append(.postFailedToPlayToEnd) }
        if isSkipped { effects.append(.advance) }
    }

    private mutating func underrun(_ effects: inout [Effect]) {
        guard isFlowing, !isPastEnd, let empty = item, !empty.isSufficient else { return }
        let isStall = !empty.isRefilling
        isFlowing = false
        if waitsAutomatically || !isStall {
            if isStall { effects.append(.postStalled) }
        } else {
            // R-STALL-02: playback pauses at the stall.
            stop(reason: nil, &effects)
            effects.append(.postStalled)
        }
    }

    private mutating func end(_ effects: inout [Effect]) {
        guard let ended = item, ended.phase == .ready, !ended.isAtEnd, rate != 0 else { return }
        item?.isAtEnd = true
        // In reverse no item follows, so playback pauses.
        switch endAction == .advance && rate < 0 ? .pause : endAction {
        case .pause:
            // R-EOI-05: the rate changes before the notification of the end.
            stop(reason: nil, &effects)
            effects.append(.postDidPlayToEnd)
        case .none:
            isPastEnd = true
            effects.append(.countPastEnd)
            effects.append(.postDidPlayToEnd)
        case .advance:
            effects.append(.postDidPlayToEnd)
            effects.append(.advance)
        }
    }

    // MARK: Settling

    /// Lets the position advance if possible, and adds the effects that tell the engine its rate and whether it runs.
    private mutating func settle(_ effects: inout [Effect]) {
        if !isFlowing, canStart {
            isFlowing = true
        }
        if isFlowing { isImmediate = false }
        let wantsSound = isFlowing && !isPastEnd
        // The engine gets a new direction even while it does not run, because the direction decides what it reads after a seek.
        let turns = rate != 0 && (rate < 0) != (engineRate < 0) && engineTakes(rate)
        if rate == 0, let preroll, engineRate != preroll, isAchievable(preroll), engineTakes(preroll) {
            engineRate = preroll
            effects.insert(.setEngineRate(preroll), at: 0)
        }
        if wantsSound || turns, engineRate != rate {
            engineRate = rate
            effects.insert(.setEngineRate(rate), at: 0)
        }
        if wantsSound != isEngineRunning, !effects.contains(.advance) {
            // `itemChanged` follows `advance` in the same turn; the device must not stop between joined items.
            isEngineRunning = wantsSound
            effects.insert(.setEngineRunning(wantsSound), at: wantsSound && effects.first == .setEngineRate(rate) ? 1 : 0)
        }
    }

    /// Whether the engine can take the rate. A positive rate needs an item, because there may be no engine before; a negative one a ready item,
    /// because not every item can play backwards.
    private func engineTakes(_ rate: Double) -> Bool { rate > 0 ? item != nil : item?.phase == .ready }

    private var canStart: Bool {
        guard rate != 0, !isHeldBack, let item, item.phase == .ready, !item.isSeeking, !item.isAtEnd else { return false }
        if item.isSufficient { return true }
        return (isImmediate || !waitsAutomatically) && !item.isEmpty
    }

    // MARK: Preroll

    private mutating func endPreroll(_ isPrimed: Bool, _ effects: inout [Effect]) {
        guard preroll != nil else { return }
        preroll = nil
        effects.append(.endPreroll(isPrimed))
    }

    /// Ends the preroll if playback is prepared, or the preroll has become impossible: another position or rate, or no item (R-PREROLL-01).
    private mutating func settlePreroll(after event: Event, _ effects: inout [Effect]) {
        guard let preroll else { return }
        let isVoid =
            switch event {
            case .itemChanged, .seekBegan, .seekEnded: true
            default: false
            }
        guard !isVoid, let item, item.phase != .failed, !item.isAtEnd, isAchievable(preroll), rate == 0 || rate == preroll else {
            return endPreroll(false, &effects)
        }
        if item.phase == .ready, !item.isSeeking, item.isSufficient { endPreroll(true, &effects) }
    }
}
