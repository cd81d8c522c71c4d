import PlaybackEngine

/// All decisions of a player, as a value. The input of the machine is events alone, and its output is effects alone. `AVPlayer` performs the effects.
///
/// The invariants of rule R-TCS-05 always hold, because the player's `status` is derived from the requested rate, the item and one stored Boolean,
/// `isFlowing`.
struct PlaybackMachine: Hashable, Sendable {
    /// The state of the current item.
    struct Item: Hashable, Sendable {
        enum Phase: Hashable, Sendable { case loading, ready, failed }
        var id: ItemID
        var phase: Phase
        /// The buffer level of the item that the engine reported last; nil before the first report.
        var buffer: BufferLevel?
        /// Whether the item can be played backwards.
        var canReverse = false
        /// Whether a seek of the item is in progress.
        var isSeeking = false
        /// Whether the item's end (in the direction of playback) has been heard, and the position has not changed since then (R-EOI-03).
        var isAtEnd = false
        /// Whether the item was at its end when the seek in progress began.
        var seeksFromEnd = false
        /// Whether a seek has emptied the buffer, and the buffer has not been refilled since. An empty buffer after a seek is no stall.
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

    /// The reason why a player waits (R-WAIT-01…04).
    enum Reason: Hashable, Sendable { case noItemToPlay, evaluatingBufferingRate, toMinimizeStalls }
    enum Status: Hashable, Sendable { case paused, waiting(Reason), playing }
    enum EndAction: Hashable, Sendable { case advance, pause, none }

    /// The reason for a change of the requested rate (R-RDC-02). An optional `RateReason` is nil if the notification of the change has no reason
    /// (R-RDC-04).
    enum RateReason: Hashable, Sendable { case setRateCalled, setRateFailed, audioSessionInterrupted }

    enum Event: Hashable, Sendable {
        /// A rate was requested by `play`, `pause` or the property `rate`, or by `playImmediately` (with `immediately`, R-IMM-01).
        case rateRequested(Double, immediately: Bool = false)
        case defaultRateSet(Double)
        case automaticWaitingSet(Bool)
        case endActionSet(EndAction)
        /// The current item changed; nil if the player has no item. `keepsFlowing` means that the new item follows the former item without a gap and
        /// is already heard.
        case itemChanged(Item?, keepsFlowing: Bool = false)
        case itemReady(ItemID, canReverse: Bool)
        /// The current item failed. `isSkipped` means that a queue player makes the next item current immediately (R-QUEUE-07).
        case itemFailed(ItemID, isSkipped: Bool)
        case bufferChanged(ItemID, BufferLevel)
        case seekBegan
        /// The seek in progress ended, and no other seek is pending. `moved` means that the seek changed the position.
        case seekEnded(moved: Bool)
        /// All rendered audio has been heard, and the last rendered frame is not the end of the item.
        case underran
        /// The item's end has been heard (R-EOI-07).
        case endHeard
        case interrupted
        case interruptionEnded(shouldResume: Bool)
        /// The active audio device was removed, and playback must not continue on another device (R-ROUTE-03).
        case routeLost
        /// No output can be opened.
        case outputFailed
        /// The audio service restarted: the player has failed permanently (R-STATUS-10).
        case servicesReset
        /// A preroll was requested with `preroll(atRate:)`. The associated number is the rate of the preroll (R-PREROLL-01).
        case prerollRequested(Double)
        case prerollCancelled
        /// A rate was requested, and playback has to start at a future host time. Until the event `letGo`, the position does not advance (R-SYNC-02).
        case heldRateRequested(Double)
        case letGo
    }

    /// An action that the player must perform. The player performs the effects of an event in their order.
    enum Effect: Hashable, Sendable {
        case setEngineRunning(Bool)
        case setEngineRate(Double)
        case postRateDidChange(RateReason?)
        case postStalled
        case postDidPlayToEnd
        case postFailedToPlayToEnd
        /// The player makes the next item current (R-EOI-01).
        case advance
        /// The position advances beyond the end of the item without audio (action `none`, R-EOI-01).
        case countPastEnd
        /// The preroll ended; the associated Boolean states whether playback at the rate of the preroll is prepared.
        case endPreroll(Bool)
    }

    /// The range of the absolute playback rates that the engine can render.
    var achievableRates: ClosedRange<Double> = 1.0 / 32...32

    private(set) var rate = 0.0
    private(set) var defaultRate = 1.0
    private(set) var waitsAutomatically = true
    private(set) var endAction: EndAction
    private(set) var item: Item?
    /// Whether media time advances, or will advance as soon as the device has started.
    private(set) var isFlowing = false
    /// Whether media time advances beyond the item's end, without audio.
    private(set) var isPastEnd = false
    /// The rate of the preroll in progress; nil if no preroll is in progress.
    private(set) var preroll: Double?
    /// Whether the position waits for the event `letGo`, which starts playback at a requested host time.
    private(set) var isHeldBack = false
    /// Whether the player has failed permanently.
    private(set) var isDead = false
    /// Whether playback starts with any amount of buffered data (`playImmediately`).
    private var isImmediate = false
    /// The rate that is restored when an interruption of the audio session ends; nil if no rate will be restored.
    private var interruptedRate: Double?
    private var engineRate = 1.0
    private var isEngineRunning = false

    init(endAction: EndAction) { self.endAction = endAction }

    /// The time control status of the player, derived from the requested rate, the item and `isFlowing`.
    var status: Status {
        if rate == 0 { return .paused }
        if isFlowing { return .playing }
        guard let item else { return .waiting(.noItemToPlay) }
        // R-WAIT-02: the reason for waiting is "evaluating" until the engine has reported a buffer level. R-STALL-04: "evaluating" is the only reason
        // for waiting if automatic waiting is off.
        return .waiting(item.phase == .ready && waitsAutomatically && item.buffer != nil ? .toMinimizeStalls : .evaluatingBufferingRate)
    }
    /// The rate at which media time actually advances (R-RATE-03).
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
            // At the end of an item, a request of a rate has no effect (R-EOI-04). A seek ends this state when it begins, so that a request during
            // the seek starts playback after the landing.
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
        case .routeLost: stop(reason: nil, &effects)
        case .outputFailed: stop(reason: .setRateFailed, &effects)
        case .servicesReset:
            (isDead, interruptedRate) = (true, nil)
            stop(reason: .setRateFailed, &effects)
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
        guard achievableRates.contains(abs(rate)) else { return false }
        guard rate < 0, let item, item.phase == .ready else { return true }
        return item.canReverse
    }

    private mutating func request(_ wanted: Double, immediately: Bool, _ effects: inout [Effect]) {
        interruptedRate = nil
        isHeldBack = false
        guard isAchievable(wanted), wanted == 0 || (item?.phase != .failed && !isDead) else {
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
                // R-EOI-04: at the end of the item, a request of a rate has no effect before a seek.
                return
            }
        }
        if immediately, !waitsAutomatically, !isFlowing, let item, item.phase == .ready, item.buffer != nil, item.isEmpty {
            // R-IMM-02: immediate playback without enough audio is handled like a stall, but without the notification of a stall. If automatic
            // waiting is off, the rate becomes 0 (R-STALL-02).
            return stop(reason: nil, &effects)
        }
        rate = wanted
        if immediately { isImmediate = true }
        if changed { effects.append(.postRateDidChange(.setRateCalled)) }
    }

    /// Sets the requested rate to 0.
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
        // R-EOI-01: if the position is beyond the item's end, a change of the action from `none` takes effect immediately.
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

    /// Makes `new` the current item. Media time keeps advancing only if `keepsFlowing` is true and the new item is ready. The requested rate becomes
    /// 0 if the new item has failed or cannot be played at that rate.
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
        // If a failed item is skipped, the event `itemChanged` follows and decides whether playback continues.
        if !isSkipped {
            isFlowing = false
            stop(reason: .setRateFailed, &effects)
        }
        // An item that could not be opened has not started playing. The item's status reports the error.
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
            // R-STALL-02: without automatic waiting, a stall sets the requested rate to 0.
            stop(reason: nil, &effects)
            effects.append(.postStalled)
        }
    }

    private mutating func end(_ effects: inout [Effect]) {
        guard let ended = item, ended.phase == .ready, !ended.isAtEnd, rate != 0 else { return }
        item?.isAtEnd = true
        // In reverse playback, an item ends at its start. No item follows the start of an item, so playback pauses.
        switch endAction == .advance && rate < 0 ? .pause : endAction {
        case .pause:
            // R-EOI-05: the rate becomes 0 and the status becomes "paused" before the notification of the item's end is posted.
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

    /// Starts playback if possible, and adds the effects that send the engine the new rate and start or stop the engine.
    private mutating func settle(_ effects: inout [Effect]) {
        if !isFlowing, canStart {
            isFlowing = true
        }
        if isFlowing { isImmediate = false }
        let wantsSound = isFlowing && !isPastEnd
        // The engine must know the direction of playback before a seek reaches its position, because the direction determines which data the engine
        // reads.
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
            // After the effect `advance`, the event `itemChanged` follows in the same turn. The device must not be stopped between two items that are
            // joined without a gap.
            isEngineRunning = wantsSound
            effects.insert(.setEngineRunning(wantsSound), at: wantsSound && effects.first == .setEngineRate(rate) ? 1 : 0)
        }
    }

    /// Whether a rate can be sent to the engine. A positive rate requires an item, because there may be no engine before the player has its first
    /// item. A negative rate requires that the item is ready, because only then the machine knows whether the item can be played backwards.
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

    /// Ends the preroll (R-PREROLL-01) if playback is prepared, or if the preroll has become impossible: the position changed, another rate was set,
    /// or the player has no item to play.
    private mutating func settlePreroll(after event: Event, _ effects: inout [Effect]) {
        guard let preroll else { return }
        let isVoid =
            switch event {
            case .itemChanged, .seekBegan, .seekEnded: true
            default: false
            }
        guard !isVoid, !isDead, let item, item.phase != .failed, !item.isAtEnd, isAchievable(preroll), rate == 0 || rate == preroll else {
            return endPreroll(false, &effects)
        }
        if item.phase == .ready, !item.isSeeking, item.isSufficient { endPreroll(true, &effects) }
    }
}
