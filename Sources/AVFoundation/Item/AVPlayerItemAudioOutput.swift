public import CoreMedia
public import PlaybackEngine

/// Delivers an item's decoded audio, for example to a meter, a visualizer or a speech recognizer. The class is not in Apple's API, but has the life
/// cycle of Apple's outputs for pictures, metadata and subtitles (R-ITEM-10).
///
/// ```swift
/// let output = AVPlayerItemAudioOutput()
/// item.add(output)
/// Task.detached {
///     for await buffer in output.buffers { meter.show(buffer.samples, from: buffer.time) }
/// }
/// ```
///
/// Each played frame is delivered once, in the order of playback, regardless of pauses, rate and device, before volume, loudness, rate and
/// crossfade are applied; each pass through a loop is delivered. After a seek, delivery continues at the new position; after the end, it stops
/// until the next seek.
///
/// Audio is delivered when it is rendered, up to a few seconds before it is heard, and is not withdrawn by a seek. To show what is heard now, compare
/// ``AVPlayerItemAudioBuffer/time`` with the item's `currentTime()`, or with ``AVPlayerItemOutput/itemTime(forHostTime:)``.
///
/// One reader may read the output, from any thread or task.
public final class AVPlayerItemAudioOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let waiting: SampleQueue
    override var queue: SampleQueue? { waiting }

    /// - Parameter maximumBufferedDuration: The capacity for unread audio, in seconds, from 0.5 to 3,600. Beyond it the oldest audio is discarded,
    ///   and ``AVPlayerItemAudioBuffer/droppedFrameCount`` reports it. A capacity that is not finite becomes the default.
    public init(maximumBufferedDuration: Double = 10) {
        waiting = SampleQueue(seconds: maximumBufferedDuration.isFinite ? min(max(0.5, maximumBufferedDuration), 3_600) : 10)
        super.init()
    }

    deinit { waiting.finish() }

    /// The buffers in the order in which they are rendered. The sequence ends after the output was removed or the item released, but not at the
    /// item's end, because the item may be played again.
    public var buffers: Buffers { Buffers(queue: waiting) }

    /// Returns the next buffer; nil if all have been read. Never blocks, for a reader that polls at each refresh of a display.
    public func copyNextBuffer() -> AVPlayerItemAudioBuffer? { waiting.take().map { AVPlayerItemAudioBuffer($0) } }

    /// The buffers in the order of playback.
    public struct Buffers: AsyncSequence, Sendable {
        let queue: SampleQueue

        public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

        /// An iterator that waits for the next buffer.
        public struct Iterator: AsyncIteratorProtocol {
            let queue: SampleQueue
            /// The next buffer; nil at the end of the sequence, or after the task was cancelled.
            public mutating func next() async -> AVPlayerItemAudioBuffer? { await queue.next().map { AVPlayerItemAudioBuffer($0) } }
        }
    }
}

/// A buffer of an item's decoded audio.
public struct AVPlayerItemAudioBuffer: Sendable {
    private let block: AudioBlock
    /// The format, normally that of the item. If the item follows another one without a gap, it has the other item's sample rate and channels
    /// (R-QUEUE-06).
    public let format: AudioFormat
    /// True for the first buffer, and after a seek, a change of direction or discarded frames.
    public let isDiscontinuous: Bool
    /// The number of frames discarded directly before the buffer, because they were not read in time.
    public let droppedFrameCount: Int

    init(_ element: SampleQueue.Element) {
        block = element.sound.block
        format = element.sound.format
        isDiscontinuous = element.isDiscontinuous
        droppedFrameCount = element.droppedFrames
    }

    /// The exact position of the first frame, at the sample rate. In reverse each buffer is earlier, but its samples are in the order of the medium.
    public var time: CMTime { CMTime(value: block.position, timescale: CMTimeScale(format.sampleRate)) }
    /// The number of samples per channel.
    public var frameCount: Int { block.frameCount }
    public var timeRange: CMTimeRange {
        CMTimeRange(start: time, duration: CMTime(value: CMTimeValue(frameCount), timescale: CMTimeScale(format.sampleRate)))
    }

    /// A copy of the samples, in −1…1, interleaved: `frameCount * format.channelCount` values.
    public var samples: [Float] { Array(block.samples) }
    /// Calls `body` with the interleaved samples, without a copy; the pointer is valid only during the call.
    public func withUnsafeSamples<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(block) { try body(block.samples) }
    }
}
