public import CoreMedia
public import Foundation
import PlaybackEngine

extension AVPlayer {
    /// Seeks to any efficient place near `time` (R-SEEK-01).
    public func seek(to time: CMTime, completionHandler: @escaping @MainActor (Bool) -> Void) {
        demandMainQueue()
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity, completionHandler: completionHandler)
    }

    /// Seeks to a place in `time − toleranceBefore … time + toleranceAfter`; both zero is exact to the sample (R-SEEK-01).
    ///
    /// `completionHandler` is called once, on the main actor: true when sound and `currentTime()` are there, false when another seek or operation
    /// came first, or the place cannot be sought (R-SEEK-02…08). The requested rate survives (R-SEEK-12).
    public func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: @escaping @MainActor (Bool) -> Void
    ) { begin(time, toleranceBefore, toleranceAfter, completionHandler) }

    /// Seeks to any efficient place near `time`, without saying when it is done.
    public func seek(to time: CMTime) { begin(time, .positiveInfinity, .positiveInfinity, nil) }

    /// Seeks without saying when it is done.
    public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) { begin(time, toleranceBefore, toleranceAfter, nil) }

    /// Seeks and returns when it is done: whether it was not interrupted. Cancelling the waiting task does not cancel the seek (R-SEEK-20).
    @discardableResult public func seek(to time: CMTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks and returns when it is done: whether it was not interrupted. Cancelling the waiting task does not cancel the seek (R-SEEK-20).
    @discardableResult public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            begin(time, toleranceBefore, toleranceAfter) { continuation.resume(returning: $0) }
        }
    }

    /// Seeks the current item to a date; false where it maps no dates to times, or the date lies outside what can be sought (R-SEEK-10).
    @discardableResult public func seek(to date: Date, completionHandler: @escaping @MainActor (Bool) -> Void = { _ in }) -> Bool {
        demandMainQueue()
        if let playingItem { return playingItem.seek(to: date, completionHandler: completionHandler) }
        MainTurn.perform { MainTurn.tell { completionHandler(false) } }
        return false
    }

    func begin(
        _ time: CMTime, _ before: CMTime, _ after: CMTime, _ completion: SeekCoordinator.Completion?, _ call: StaticString = #function
    ) {
        demandMainQueue(call)
        SeekCoordinator.checkArguments(time, before, after)
        MainTurn.perform {
            catchUp()
            if !sync.isSeeking { sync.forget() }
            // R-SEEK-02: every earlier seek is over, and hears so first.
            let superseded = seeks.begin(time, before: before, after: after, completion: completion)
            if let superseded { MainTurn.tell { superseded(false) } }
            guard let item = playingItem, item.status != .failed else { return cancelSeeks() }
            apply(.seekBegan)
            if item.status == .readyToPlay { postPendingSeek() }
        }
    }

    /// Gives the pending seek to the engine, if the item's ranges allow it (R-SEEK-08).
    func postPendingSeek() {
        guard let item = playingItem, let pending = seeks.pending, !pending.isPosted else { return }
        guard item.canSeek(to: pending.target) else { return cancelSeeks() }
        guard let request = seeks.post(item: item.engineID) else { return }
        post(.seek(request))
    }

    /// Completes the pending seek with false (R-SEEK-03, R-SEEK-19).
    func cancelSeeks() {
        guard seeks.pending != nil else { return }
        let completion = seeks.cancel()
        if let completion { MainTurn.tell { completion(false) } }
        apply(.seekEnded(moved: false))
    }

    func seekCompleted(_ id: UInt64, landed: CMTime) {
        guard let item = playingItem else { return }
        let start = clock?.timeline.segments.last { $0.item == item.engineID }?.start
        position.setRule(HeardPosition.Rule(item: item.engineID, rest: landed, floor: start ?? Int64.min, landedSeek: id))
        pendingFailure = nil
        landedTime = landed
        logJump()
        // A newer seek may be under way: then nobody waits for this one any more.
        let completion = seeks.finish(id)
        timeObservers.jump(to: landed)
        if seeks.pending == nil { apply(.seekEnded(moved: true)) }
        // R-SEEK-13, then the completion.
        flushTimeObservers()
        item.post(AVPlayerItem.timeJumpedNotification)
        if let completion { MainTurn.tell { completion(true) } }
    }

    func seekFailed(_ id: UInt64) {
        guard seeks.pending?.id == id else { return }
        cancelSeeks()
    }
}

extension AVPlayerItem {
    /// Seeks this item: now where it is current, else where it will begin (R-ITEM-03). As `AVPlayer.seek` otherwise.
    public func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: (@MainActor (Bool) -> Void)? = nil
    ) {
        demandMainQueue()
        if let owner, owner.playingItem === self {
            return owner.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { completionHandler?($0) }
        }
        SeekCoordinator.checkArguments(time, toleranceBefore, toleranceAfter)
        MainTurn.perform {
            guard status != .failed, time.isNumeric, time >= .zero else {
                return MainTurn.tell { completionHandler?(false) }
            }
            setPendingStart(time, completion: completionHandler)
            renewTap()
            owner?.requestDidChange(of: self)
        }
    }

    /// Seeks this item to any efficient place near `time`.
    public func seek(to time: CMTime, completionHandler: (@MainActor (Bool) -> Void)? = nil) {
        demandMainQueue()
        seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity, completionHandler: completionHandler)
    }

    /// Seeks and returns when it is done, or when it is known where the item will begin: whether it was not interrupted.
    @discardableResult public func seek(to time: CMTime) async -> Bool {
        await seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
    }

    /// Seeks and returns when it is done, or when it is known where the item will begin: whether it was not interrupted.
    @discardableResult public func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { continuation.resume(returning: $0) }
        }
    }

    /// Completes the pending seek with false; the position is wherever it then is (R-SEEK-19).
    public func cancelPendingSeeks() {
        demandMainQueue()
        MainTurn.perform {
            if let owner, owner.playingItem === self { owner.cancelSeeks() } else { setPendingStart(pendingStart, completion: nil) }
        }
    }

    /// Moves by so many steps of 1,024 frames of the medium, backwards where negative (R-STEP-02; Apple leaves the size open for sound).
    public func step(byCount count: Int) {
        demandMainQueue()
        guard let info = mediaInfo, canStepForward else { return }
        let now = currentTime()
        let (frames, overflow) = count.multipliedReportingOverflow(by: 1_024)
        guard !overflow else { return }
        let target = now + CMTime(value: CMTimeValue(frames), timescale: CMTimeScale(clamping: info.format.sampleRate))
        let end = seekableTimeRanges.last?.end ?? now
        seek(to: min(max(.zero, target), end), toleranceBefore: .zero, toleranceAfter: .zero)
    }
}
