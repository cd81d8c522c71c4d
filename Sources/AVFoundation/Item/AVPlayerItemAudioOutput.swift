public import CoreMedia
public import PlaybackEngine

/// Hands out an item's decoded sound, for a meter, a visualizer, a recognizer. Not in Apple's vocabulary, which has outputs for pictures, metadata and
/// subtitles; its life is theirs (R-ITEM-10).
///
/// ```swift
/// let output = AVPlayerItemAudioOutput()
/// item.add(output)
/// Task.detached {
///     for await buffer in output.buffers { meter.show(buffer.samples, from: buffer.time) }
/// }
/// ```
///
/// Each frame that is played comes once, in the order in which it is played, also over a pause, a change of rate or of the device. It is the sound of
/// the item alone: before volume, loudness, rate and crossfade. After a seek, or a change of direction, it goes on from the new place. At the end of
/// the item nothing more comes until it is sought.
///
/// Sound comes as it is rendered, which is up to a few seconds before it is heard (what a seek then takes back has been handed out already): match
/// ``AVPlayerItemAudioBuffer/time`` with the item's `currentTime()`, or with ``AVPlayerItemOutput/itemTime(forHostTime:)``, to show what is heard.
///
/// It can be read from any thread or task, by one reader: each buffer is handed out once.
public final class AVPlayerItemAudioOutput: AVPlayerItemOutput {
    private nonisolated let waiting: SampleQueue
    override nonisolated var queue: SampleQueue? { waiting }

    /// Makes an output of no item.
    ///
    /// - Parameter maximumBufferedDuration: seconds of sound that wait at most for whoever reads; beyond it the oldest go, and
    ///   ``AVPlayerItemAudioBuffer/droppedFrameCount`` tells. At least half a second; what is no number is the default.
    public init(maximumBufferedDuration: Double = 10) {
        waiting = SampleQueue(seconds: maximumBufferedDuration.isFinite ? min(max(0.5, maximumBufferedDuration), 3_600) : 10)
        super.init()
    }

    deinit { waiting.finish() }

    /// The sound as it comes. Ends when the output has been removed from its item, or the item is gone, and what waited has been read; not at the end of
    /// the item, which may be played again.
    public nonisolated var buffers: Buffers { Buffers(queue: waiting) }

    /// The next sound that waits, nil where none does. Never blocks: for who looks at every picture rather than waits.
    public nonisolated func copyNextBuffer() -> AVPlayerItemAudioBuffer? { waiting.take().map { AVPlayerItemAudioBuffer($0) } }

    /// Buffers in the order in which they are played.
    public struct Buffers: AsyncSequence, Sendable {
        let queue: SampleQueue

        public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

        /// Waits for buffers.
        public struct Iterator: AsyncIteratorProtocol {
            let queue: SampleQueue
            /// The next buffer; nil at the end, and where the task was cancelled.
            public mutating func next() async -> AVPlayerItemAudioBuffer? { await queue.next().map { AVPlayerItemAudioBuffer($0) } }
        }
    }
}

/// A stretch of an item's decoded sound.
public struct AVPlayerItemAudioBuffer: Sendable {
    private let block: AudioBlock
    /// Its rate and its channels: the item's own where it plays by itself; joined behind another item, those of the one before (R-QUEUE-06).
    public let format: AudioFormat
    /// It does not follow on the buffer before: the first one, or after a seek, a change of direction, or where some were dropped.
    public let isDiscontinuous: Bool
    /// So many frames went before it because nobody read them in time; 0 otherwise.
    public let droppedFrameCount: Int

    init(_ element: SampleQueue.Element) {
        block = element.sound.block
        format = element.sound.format
        isDiscontinuous = element.isDiscontinuous
        droppedFrameCount = element.droppedFrames
    }

    /// The item time of its first frame, exact: in frames at the rate of `format`. Played backwards, a buffer lies before the former, and its own
    /// samples are in the order of the medium.
    public var time: CMTime { CMTime(value: block.position, timescale: CMTimeScale(format.sampleRate)) }
    /// Samples of one channel.
    public var frameCount: Int { block.frameCount }
    /// The item time that it covers.
    public var timeRange: CMTimeRange {
        CMTimeRange(start: time, duration: CMTime(value: CMTimeValue(frameCount), timescale: CMTimeScale(format.sampleRate)))
    }

    /// A copy of the samples, in −1…1, channels interleaved: `frameCount * format.channelCount` of them.
    public var samples: [Float] { Array(block.samples) }
    /// The samples, without a copy.
    ///
    /// - Parameter body: gets them as `samples` has them; they are valid only inside.
    /// - Returns: what `body` returns.
    public func withUnsafeSamples<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(block) { try body(block.samples) }
    }
}
