public import CoreMedia
import PlaybackEngine

extension AVPlayerItem {
    /// Whether all buffered audio of the item has been heard (R-BUF-03).
    public var isPlaybackBufferEmpty: Bool {
        hub.access(.isPlaybackBufferEmpty)
        return bufferLevel?.isEmpty ?? true
    }
    /// Whether the item's buffer is at its capacity (R-BUF-04). The properties `isPlaybackBufferFull` and `isPlaybackBufferEmpty` are never both
    /// true.
    public var isPlaybackBufferFull: Bool {
        hub.access(.isPlaybackBufferFull)
        return bufferLevel.map { $0.isFull && !$0.isEmpty } ?? false
    }
    /// Whether playback of the item is predicted to continue without a stall (R-BUF-05).
    public var isPlaybackLikelyToKeepUp: Bool {
        hub.access(.isPlaybackLikelyToKeepUp)
        return bufferLevel?.isLikelyToKeepUp ?? false
    }

    /// The available time ranges of the item: the whole medium of an open local file, or the audio of a remote medium from the heard position to the
    /// end of the buffer, in reverse playback from there to the heard position (R-BUF-01). The array is empty before the item is ready. The progress
    /// of the position is not observable.
    public var loadedTimeRanges: [CMTimeRange] {
        hub.access(.loadedTimeRanges)
        guard status == .readyToPlay else { return [] }
        if case .file? = asset.source?.location {
            return duration.isNumeric ? [CMTimeRange(start: .zero, duration: duration)] : []
        }
        guard var end = bufferLevel?.end else { return [] }
        // The engine counts the decoded audio of the next item too.
        if isDurationExact { end = min(end, duration) }
        let position = currentTime()
        let (first, last) = owner.map { $0.engine.settings.rate < 0 } == true ? (end, position) : (position, end)
        return first < last ? [CMTimeRange(start: first, end: last)] : []
    }
    /// The time ranges of the item that a seek can reach. The array is empty before the item is ready, and if the medium is not seekable (R-BUF-02).
    public var seekableTimeRanges: [CMTimeRange] {
        hub.access(.seekableTimeRanges)
        guard status == .readyToPlay, mediaInfo?.isSeekable == true else { return [] }
        return [CMTimeRange(start: .zero, duration: duration.isNumeric ? duration : .positiveInfinity)]
    }

    /// Whether the real end of the item may be later than its duration, because the duration is only estimated. This is so only in a seekable local
    /// file, in which a seek finds the real end (R-SEEK-22).
    package var isEndEstimated: Bool {
        guard case .file? = asset.source?.location, status == .readyToPlay, let mediaInfo else { return false }
        return mediaInfo.isSeekable && !mediaInfo.isLive && !isDurationExact
    }

    /// Whether a seek to `time` is allowed: `time` is within the item's seekable ranges, including the ends of the ranges, or the end of the item is
    /// only estimated.
    func canSeek(to time: CMTime) -> Bool {
        guard time.isNumeric, time >= .zero else { return false }
        if isEndEstimated { return true }
        return seekableTimeRanges.contains { $0.start <= time && time <= $0.end }
    }

    /// Whether the item can be played at rates above 2 (R-STEP-01). All properties `canPlay…` are false before the item is ready.
    public var canPlayFastForward: Bool { isReady() }
    /// Whether the item can be played at rates between 0 and 1.
    public var canPlaySlowForward: Bool { isReady() }
    /// Whether the item can be played at rate −1.
    public var canPlayReverse: Bool { isReady() && owner?.environment.canReverse == true && mediaInfo?.isSeekable == true }
    /// Whether the item can be played at rates between −1 and 0.
    public var canPlaySlowReverse: Bool { canPlayReverse }
    /// Whether the item can be played at rates below −1.
    public var canPlayFastReverse: Bool { canPlayReverse }
    public var canStepForward: Bool { isReady() && mediaInfo?.isSeekable == true }
    public var canStepBackward: Bool { canStepForward }

    private func isReady(_ call: StaticString = #function) -> Bool {
        hub.access(.capabilities, call)
        return status == .readyToPlay
    }

    func bufferChanged(_ level: BufferLevel) { replaceBufferLevel(level) }
    /// Resets the state of the item's buffer to unknown, because the engine starts the item again.
    func resetBuffer() { replaceBufferLevel(nil) }

    private func replaceBufferLevel(_ new: BufferLevel?) {
        let old = bufferLevel
        guard new != old else { return }
        var keys: [StateKey] = []
        if (old?.isEmpty ?? true) != (new?.isEmpty ?? true) { keys.append(.isPlaybackBufferEmpty) }
        if (old?.isFull ?? false) != (new?.isFull ?? false) { keys.append(.isPlaybackBufferFull) }
        if (old?.isLikelyToKeepUp ?? false) != (new?.isLikelyToKeepUp ?? false) { keys.append(.isPlaybackLikelyToKeepUp) }
        if old?.end != new?.end { keys.append(.loadedTimeRanges) }
        setBufferLevel(new, notifying: keys)
        updateDemand()
    }
}

extension CMTimeRange {
    /// The time range itself. Apple's arrays of time ranges contain boxed values, which code unboxes with the property `timeRangeValue`.
    public var timeRangeValue: CMTimeRange { self }
}
