public import CoreMedia
import PlaybackEngine

extension AVPlayerItem {
    /// Everything buffered was consumed (R-BUF-03).
    public var isPlaybackBufferEmpty: Bool {
        hub.access(.isPlaybackBufferEmpty)
        return bufferLevel?.isEmpty ?? true
    }
    /// There is no room for more (R-BUF-04). Never true together with `isPlaybackBufferEmpty`.
    public var isPlaybackBufferFull: Bool {
        hub.access(.isPlaybackBufferFull)
        return bufferLevel.map { $0.isFull && !$0.isEmpty } ?? false
    }
    /// Playback would go on without a stall, as far as can be foretold (R-BUF-05).
    public var isPlaybackLikelyToKeepUp: Bool {
        hub.access(.isPlaybackLikelyToKeepUp)
        return bufferLevel?.isLikelyToKeepUp ?? false
    }

    /// What is at hand: all of a local file once it is open (R-BUF-01), of a remote one what is buffered ahead. Empty before ready.
    public var loadedTimeRanges: [CMTimeRange] {
        hub.access(.loadedTimeRanges)
        guard status == .readyToPlay else { return [] }
        if case .file? = asset.source?.location {
            return duration.isNumeric ? [CMTimeRange(start: .zero, duration: duration)] : []
        }
        guard let bufferLevel, bufferLevel.seconds > 0 else { return [] }
        return [CMTimeRange(start: currentTime(), duration: CMTime(seconds: bufferLevel.seconds, preferredTimescale: 1_000))]
    }
    /// Where it can be sought: empty before ready, and where it cannot (R-BUF-02).
    public var seekableTimeRanges: [CMTimeRange] {
        hub.access(.seekableTimeRanges)
        guard status == .readyToPlay, mediaInfo?.isSeekable == true else { return [] }
        return [CMTimeRange(start: .zero, duration: duration.isNumeric ? duration : .positiveInfinity)]
    }

    /// Whether a seek to `time` stays in what can be sought; the end itself counts.
    func canSeek(to time: CMTime) -> Bool {
        guard time.isNumeric, time >= .zero else { return false }
        return seekableTimeRanges.contains { $0.start <= time && time <= $0.end }
    }

    /// Rates above 2 (R-STEP-01). False before ready, like all of these.
    public var canPlayFastForward: Bool { isReady() }
    /// Rates between 0 and 1.
    public var canPlaySlowForward: Bool { isReady() }
    /// Rate −1 exactly.
    public var canPlayReverse: Bool { isReady() && owner?.environment.canReverse == true && mediaInfo?.isSeekable == true }
    /// Rates between −1 and 0.
    public var canPlaySlowReverse: Bool { canPlayReverse }
    /// Rates below −1.
    public var canPlayFastReverse: Bool { canPlayReverse }
    public var canStepForward: Bool { isReady() && mediaInfo?.isSeekable == true }
    public var canStepBackward: Bool { canStepForward }

    private func isReady(_ call: StaticString = #function) -> Bool {
        hub.access(.capabilities, call)
        return status == .readyToPlay
    }

    func bufferChanged(_ level: BufferLevel) { setBufferLevel(level) }
    /// The engine begins anew with it: nothing is known of its buffer.
    func forgetBuffer() { setBufferLevel(nil) }

    private func setBufferLevel(_ new: BufferLevel?) {
        let old = bufferLevel
        guard new != old else { return }
        var keys: [StateKey] = []
        if (old?.isEmpty ?? true) != (new?.isEmpty ?? true) { keys.append(.isPlaybackBufferEmpty) }
        if (old?.isFull ?? false) != (new?.isFull ?? false) { keys.append(.isPlaybackBufferFull) }
        if (old?.isLikelyToKeepUp ?? false) != (new?.isLikelyToKeepUp ?? false) { keys.append(.isPlaybackLikelyToKeepUp) }
        if old?.seconds != new?.seconds { keys.append(.loadedTimeRanges) }
        hub.change(keys) { bufferLevel = new }
    }
}

extension CMTimeRange {
    /// The range itself: Apple's lists of ranges hold boxes, which code unpacks with this name.
    public var timeRangeValue: CMTimeRange { self }
}
