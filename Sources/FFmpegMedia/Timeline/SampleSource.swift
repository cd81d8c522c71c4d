import PlaybackEngine

/// Samples on an exact timeline, at their own rate. Confined to the reader's thread.
protocol SampleSource: AnyObject {
    var format: AudioFormat { get }
    /// The position of the next frame to be delivered.
    var position: Int64 { get }
    /// What is known of the length.
    var duration: MediaDuration { get }
    /// Corrupt packets skipped so far, those before a seek's target not counted.
    var skippedPackets: Int { get }
    var isSeekable: Bool { get }
    /// Writes up to `capacity` frames, channels interleaved, from `position` on; returns how many. 0 only at the end.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int
    /// Goes to `target`; returns the position that the next frame has, in `target - before ... target + after`.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64
    /// Makes the duration exact where that takes reading it all.
    func measure() throws(PlaybackError)
}

extension SampleSource {
    /// The length in frames where it is certain.
    var length: Int64? { if case .exact(let frames, _) = duration { frames } else { nil } }
}
