public import CoreMedia
public import PlaybackEngine

/// Delivers an item's decoded audio, for example to a meter, a visualizer or a speech recognizer. Apple's API has no output for audio, only outputs
/// for pictures, metadata and subtitles. An `AVPlayerItemAudioOutput` has the same life cycle as Apple's outputs (R-ITEM-10).
///
/// ```swift
/// let output = AVPlayerItemAudioOutput()
/// item.add(output)
/// Task.detached {
///     for await buffer in output.buffers { meter.show(buffer.samples, from: buffer.time) }
/// }
/// ```
///
/// Each played frame of the item is delivered once, in the order of playback, regardless of pauses and of changes of rate or device. The delivered
/// samples are those of the item alone, before volume, loudness, rate and crossfade are applied. After a seek or a change of direction, delivery
/// continues at the new position. Each pass through a loop is delivered. After the end of the item, delivery stops until the next seek.
///
/// The output delivers audio when the audio is rendered, up to a few seconds before the audio is heard. A seek does not withdraw audio that has been
/// delivered. To show the audio that is heard now, compare ``AVPlayerItemAudioBuffer/time`` with the item's `currentTime()`, or with
/// ``AVPlayerItemOutput/itemTime(forHostTime:)``.
///
/// One reader may read the output, from any thread or task: each buffer of audio is delivered once.
public final class AVPlayerItemAudioOutput: AVPlayerItemOutput {
    private nonisolated let waiting: SampleQueue
    override nonisolated var queue: SampleQueue? { waiting }

    /// Makes an audio output that belongs to no item yet.
    ///
    /// - Parameter maximumBufferedDuration: The output's capacity for unread audio, in seconds. Beyond the capacity the oldest unread audio is
    ///   discarded, and ``AVPlayerItemAudioBuffer/droppedFrameCount`` reports the number of discarded frames. The capacity of the output is at least
    ///   half a second and at most an hour; a non-finite capacity becomes the default.
    public init(maximumBufferedDuration: Double = 10) {
        waiting = SampleQueue(seconds: maximumBufferedDuration.isFinite ? min(max(0.5, maximumBufferedDuration), 3_600) : 10)
        super.init()
    }

    deinit { waiting.finish() }

    /// The buffers of audio, in the order in which they are rendered. The sequence of buffers ends after all buffers have been read, if the output
    /// was removed from its item or the item was released. The sequence of buffers does not end at the end of the item, because the item may be
    /// played again.
    public nonisolated var buffers: Buffers { Buffers(queue: waiting) }

    /// Returns the next unread buffer of audio; nil if all buffers have been read. The function never blocks, and is intended for a reader that polls
    /// at each refresh of a display.
    public nonisolated func copyNextBuffer() -> AVPlayerItemAudioBuffer? { waiting.take().map { AVPlayerItemAudioBuffer($0) } }

    /// The sequence of an output's buffers, in the order in which they are played.
    public struct Buffers: AsyncSequence, Sendable {
        let queue: SampleQueue

        public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

        /// An iterator that waits for the next buffer of audio.
        public struct Iterator: AsyncIteratorProtocol {
            let queue: SampleQueue
            /// Returns the next buffer of audio; nil after the end of the sequence, or after the task was cancelled.
            public mutating func next() async -> AVPlayerItemAudioBuffer? { await queue.next().map { AVPlayerItemAudioBuffer($0) } }
        }
    }
}

/// A buffer of an item's decoded audio.
public struct AVPlayerItemAudioBuffer: Sendable {
    private let block: AudioBlock
    /// The sample rate and channels of the buffer, which are normally the item's own. If the item followed another item without a gap, the buffer has
    /// the sample rate and channels of the preceding item (R-QUEUE-06).
    public let format: AudioFormat
    /// Whether the buffer does not continue the preceding buffer. The first buffer is discontinuous, and so is each buffer after a seek, a change of
    /// direction or discarded frames.
    public let isDiscontinuous: Bool
    /// The number of frames that were discarded directly before the buffer, because the reader did not read them in time.
    public let droppedFrameCount: Int

    init(_ element: SampleQueue.Element) {
        block = element.sound.block
        format = element.sound.format
        isDiscontinuous = element.isDiscontinuous
        droppedFrameCount = element.droppedFrames
    }

    /// The exact item time of the buffer's first frame, in frames at the sample rate of the buffer. In reverse playback each buffer has an earlier
    /// time than the preceding buffer, but the samples in a buffer are in the order of the medium.
    public var time: CMTime { CMTime(value: block.position, timescale: CMTimeScale(format.sampleRate)) }
    /// The number of frames of the buffer, which is the number of samples per channel.
    public var frameCount: Int { block.frameCount }
    /// The range of item time that the buffer covers.
    public var timeRange: CMTimeRange {
        CMTimeRange(start: time, duration: CMTime(value: CMTimeValue(frameCount), timescale: CMTimeScale(format.sampleRate)))
    }

    /// A copy of the buffer's samples, in −1…1, interleaved: `frameCount * format.channelCount` values.
    public var samples: [Float] { Array(block.samples) }
    /// Calls the function `body` with the samples of the buffer, without copying the samples.
    ///
    /// - Parameter body: The function that receives the interleaved samples. The pointer to the samples is valid only during the call of `body`.
    /// - Returns: The value that `body` returns.
    public func withUnsafeSamples<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(block) { try body(block.samples) }
    }
}
