/// Consecutive frames of decoded audio, with their position in the item. A block is immutable, so any thread may use it.
///
/// `@unchecked Sendable`: the samples are written only by `init`, before any other object or thread has the block.
public final class AudioBlock: @unchecked Sendable {
    /// The media position of the block's first frame, in frames at the sample rate of the reader's output format (`AudioReader.setOutputFormat`).
    public let position: Int64
    public let frameCount: Int
    public let channelCount: Int
    private let storage: UnsafeMutablePointer<Float>

    /// The interleaved samples of the block: `frameCount * channelCount` floats.
    public var samples: UnsafeBufferPointer<Float> { UnsafeBufferPointer(start: storage, count: frameCount * channelCount) }
    /// The media position directly after the block's last frame, in frames.
    public var end: Int64 { position + Int64(frameCount) }

    /// Makes a block of audio. The closure `fill` must initialise every sample of the memory that it receives.
    public init(position: Int64, frameCount: Int, channelCount: Int, fill: (UnsafeMutableBufferPointer<Float>) -> Void) {
        precondition(frameCount >= 0 && channelCount > 0)
        self.position = position
        self.frameCount = frameCount
        self.channelCount = channelCount
        storage = .allocate(capacity: max(1, frameCount * channelCount))
        fill(UnsafeMutableBufferPointer(start: storage, count: frameCount * channelCount))
    }

    /// Makes a block of the frames that the closure `fill` writes, at most `capacity` frames. Returns nil if `fill` writes no frames.
    ///
    /// - Parameter fill: the closure that writes frames from the start of the memory on. The closure returns the number of written frames and the
    ///   media position of the first frame.
    public convenience init?(
        capacity: Int, channelCount: Int,
        fill: (UnsafeMutablePointer<Float>) throws(PlaybackError) -> (count: Int, position: Int64)
    ) throws(PlaybackError) {
        precondition(capacity > 0 && channelCount > 0)
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: capacity * channelCount)
        let filled: (count: Int, position: Int64)
        do throws(PlaybackError) { filled = try fill(memory) } catch {
            memory.deallocate()
            throw error
        }
        let (count, position) = filled
        guard count > 0 else {
            memory.deallocate()
            return nil
        }
        if count == capacity {
            self.init(position: position, frameCount: count, channelCount: channelCount, storage: memory)
        } else {
            // The engine limits its memory by counting the frames of its blocks, so a block must not keep more memory than its frames need.
            self.init(position: position, frameCount: count, channelCount: channelCount) { samples in
                _ = samples.initialize(from: UnsafeBufferPointer(start: memory, count: count * channelCount))
            }
            memory.deallocate()
        }
    }

    private init(position: Int64, frameCount: Int, channelCount: Int, storage: UnsafeMutablePointer<Float>) {
        self.position = position
        self.frameCount = frameCount
        self.channelCount = channelCount
        self.storage = storage
    }

    deinit { storage.deallocate() }
}

extension AudioBlock {
    /// Splits the block of audio into two blocks: the frames before index `frame`, and the remaining frames.
    func split(at frame: Int) -> (AudioBlock, AudioBlock) { (part(0, frame), part(frame, frameCount)) }

    private func part(_ first: Int, _ last: Int) -> AudioBlock {
        AudioBlock(position: position + Int64(first), frameCount: last - first, channelCount: channelCount) { buffer in
            _ = buffer.initialize(from: samples[(first * channelCount)..<(last * channelCount)])
        }
    }
}
