public import CoreMedia
import Platform
import PlaybackEngine

extension AVPlayer {
    /// Seeks the current item. If `allowsEstimate` is true, the reached position may be an estimate even if the tolerances are finite; without this
    /// permission, only a seek with infinite tolerances may be estimated (R-SEEK-21).
    package nonisolated func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, allowsEstimate: Bool,
        completionHandler: @escaping @MainActor (Bool) -> Void
    ) {
        turn {
            begin(time, toleranceBefore, toleranceAfter, allowsEstimate: allowsEstimate) { isFinished in
                MainActor.assumeIsolated { completionHandler(isFinished) }
            }
        }
    }

    /// Seeks the current item to a position near `time`, and returns after completion whether the seek finished uninterrupted. Cancelling the waiting
    /// task does not cancel the seek (R-SEEK-20).
    @discardableResult public nonisolated(nonsending) func seek(to time: CMTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks the current item to a position within the tolerances around `time`, and returns after completion whether the seek finished
    /// uninterrupted. Cancelling the waiting task does not cancel the seek (R-SEEK-20).
    @discardableResult public nonisolated(nonsending) func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { continuation.resume(returning: $0) }
        }
    }
}

@Turn extension AVPlayer {
    func begin(
        _ time: CMTime, _ before: CMTime, _ after: CMTime, allowsEstimate: Bool = false, _ completion: SeekCoordinator.Completion?
    ) {
        SeekCoordinator.checkArguments(time, before, after)
        catchUp()
        if !sync.isSeeking { sync.cancel() }
        if let item = playingItem, item.isHeld { return moveHeld(item, to: time, completion) }
        // R-SEEK-02: the completion of an earlier seek in progress is called with false first.
        let superseded = seeks.begin(time, before: before, after: after, allowsEstimate: allowsEstimate, completion: completion)
        if let superseded { Turn.enqueueOnMain { superseded(false) } }
        guard let item = playingItem, item.phase != .failed, !isShutDown else { return cancelSeeks() }
        item.updateSeekProgress()
        apply(.seekBegan)
        if item.phase == .readyToPlay { postPendingSeek() }
    }

    /// Sends the pending seek to the engine, or cancels it if the target is outside the item's seekable ranges (R-SEEK-08).
    func postPendingSeek() {
        guard let item = playingItem, let pending = seeks.pending, !pending.isPosted else { return }
        guard item.canSeek(to: pending.target) else { return cancelSeeks() }
        guard let request = seeks.post(item: item.engineID) else { return }
        let due = environment.clock.now + SeekProgress.patience
        seeks.setLateness(
            TurnTimer.start(at: due, in: environment, for: item) { [seeks, weak item] in
                seeks.becomeLate()
                item?.updateSeekProgress()
            })
        engine.post(.seek(request))
    }

    /// Cancels the player's pending seek, and calls its completion with false (R-SEEK-03, R-SEEK-19).
    func cancelSeeks() {
        guard seeks.pending != nil else { return }
        let completion = seeks.cancel()
        playingItem?.updateSeekProgress()
        if let completion { Turn.enqueueOnMain { completion(false) } }
        apply(.seekEnded(moved: false))
    }

    func seekCompleted(_ id: UInt64, landed: CMTime, frame: Int64?) {
        guard let item = playingItem else { return }
        let asked = seeks.pending.flatMap { $0.id == id ? $0.target : nil }
        position.setRule(HeardPosition.Rule(item: item.engineID, rest: landed, asked: asked, floor: frame ?? Int64.min, landedSeek: id))
        lineup.pendingFailure = nil
        seeks.landed(at: landed)
        movementLog.positionJumped(in: item)
        // If a newer seek is pending, the completion of the older seek has already been called.
        let completion = seeks.finish(id)
        item.updateSeekProgress()
        timeObservers.jump(to: landed)
        if seeks.pending == nil { apply(.seekEnded(moved: true)) }
        // R-SEEK-13: the time observers are called before the completion of the seek.
        flushTimeObservers()
        item.post(AVPlayerItem.timeJumpedNotification)
        if let completion { Turn.enqueueOnMain { completion(true) } }
    }

    func seekFailed(_ id: UInt64) {
        guard seeks.pending?.id == id else { return }
        cancelSeeks()
    }
}

extension AVPlayerItem {
    /// Seeks the item. If the item is current, the seek starts immediately; otherwise the seek sets the item's start position (R-ITEM-03). The
    /// function has the arguments of `AVPlayer.seek`.
    @preconcurrency public nonisolated func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        turn {
            if let owner, owner.playingItem === self { return owner.begin(time, toleranceBefore, toleranceAfter, completionHandler) }
            SeekCoordinator.checkArguments(time, toleranceBefore, toleranceAfter)
            guard status != .failed, owner?.isShutDown != true, time.isNumeric, time >= .zero else {
                return Turn.enqueueOnMain { completionHandler?(false) }
            }
            setPendingStart(time, completion: completionHandler)
            renewTap()
            owner?.requestDidChange(of: self)
        }
    }

    /// Seeks the item to a position near `time`, which is `time` itself where the medium allows it.
    @preconcurrency public nonisolated func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity, completionHandler: completionHandler)
    }

    /// Seeks the item, and returns after completion whether the seek finished uninterrupted. If the item is not current, the seek completes when the
    /// item starts at the position of the seek.
    @discardableResult public nonisolated(nonsending) func seek(to time: CMTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks the item within tolerances, and returns after completion whether the seek finished uninterrupted. If the item is not current, the seek
    /// completes when the item starts at the position of the seek.
    @discardableResult public nonisolated(nonsending) func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { continuation.resume(returning: $0) }
        }
    }

    /// Cancels the item's pending seek, and calls its completion with false. After the cancellation, the item keeps the position that it has
    /// reached (R-SEEK-19).
    public nonisolated func cancelPendingSeeks() {
        turn {
            if let owner, owner.playingItem === self { owner.cancelSeeks() } else { setPendingStart(pendingStart, completion: nil) }
        }
    }

    /// Moves the item's position by `count` steps of 1,024 frames of the medium; backwards if `count` is negative (R-STEP-02). Apple's documentation
    /// does not define the step size of audio.
    public nonisolated func step(byCount count: Int) {
        turn {
            guard let info = mediaInfo, canStepForward else { return }
            let now = currentTime()
            let (frames, overflow) = count.multipliedReportingOverflow(by: 1_024)
            guard !overflow else { return }
            let target = now + CMTime(value: CMTimeValue(frames), timescale: CMTimeScale(clamping: info.format.sampleRate))
            let end = seekableTimeRanges.last?.end ?? now
            seek(to: min(max(.zero, target), end), toleranceBefore: .zero, toleranceAfter: .zero)
        }
    }
}
