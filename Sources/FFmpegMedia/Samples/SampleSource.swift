import PlaybackEngine

/// A source of decoded audio on an exact timeline, at the source's own sample rate. A source of samples is used only by the reader's thread.
protocol SampleSource: AnyObject {
    var format: AudioFormat { get }
    /// The position of the next frame to deliver, in frames.
    var position: Int64 { get }
    /// The length of the source's audio, as far as the length is known.
    var duration: MediaDuration { get }
    /// The number of corrupt packets that have been skipped so far, without packets before the target of a seek.
    var skippedPackets: Int { get }
    var isSeekable: Bool { get }
    /// Writes up to `capacity` frames from `position` on, with interleaved channels, and returns their number; 0 only at the end of the audio.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int
    /// Seeks to the frame `target`, and returns the position of the next frame to deliver, which lies in `target - before ... target + after`.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64
    /// Seeks like `seek(to:before:after:)`. If `allowsEstimate` is true, and an exact landing would need the transfer of many bytes, the landing may
    /// rest on an estimate (`isPositionEstimated`).
    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64
    /// Whether the positions since the last seek are only estimated.
    var isPositionEstimated: Bool { get }
    /// Examines a portion of the rest of the medium, so that its length becomes exact. Returns whether another portion follows. An error other than a
    /// cancellation ends the examination.
    func examine() throws(PlaybackError) -> Bool
    /// Makes the length of the audio exact, if necessary by reading the whole medium.
    func measure() throws(PlaybackError)
    /// Sets the log of timed metadata: metadata that apply from a position in the audio on, such as the titles of a radio station. Called before the
    /// first `fill`.
    func setTimedMetadata(_ log: TimedMetadataLog)
    /// Sets the object that receives the progress of long seeks. Called before the first `fill`.
    func setSeekProgress(_ progress: SeekProgress)
}

extension SampleSource {
    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        try seek(to: target, before: before, after: after)
    }
    var isPositionEstimated: Bool { false }
    /// The default for a source that has nothing to examine: its length is exact, or becomes exact only at the end.
    func examine() throws(PlaybackError) -> Bool { false }
    /// The default for a source without timed metadata.
    func setTimedMetadata(_ log: TimedMetadataLog) {}
    /// The default for a source whose seeks need no long reading.
    func setSeekProgress(_ progress: SeekProgress) {}
    /// The length of the audio in frames, if it is exact; otherwise nil.
    var length: Int64? { if case .exact(let frames, _) = duration { frames } else { nil } }
}
