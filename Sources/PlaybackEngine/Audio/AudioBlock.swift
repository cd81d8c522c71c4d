/// Consecutive frames of decoded audio, with their position in the item. Immutable, so any thread may use it.
///
/// `@unchecked Sendable`: only `init` writes the storage, before another owner can hold the block.
public final class AudioBlock: @unchecked Sendable {
    /// The media position of the first frame, in frames at the rate that the reader was asked to deliver (`AudioReader.setOutputFormat`).
    public let position: Int64
    public let frameCount: Int
    public let channelCount: Int
    private let storage: UnsafeMutablePointer<Float>

    /// The samples, interleaved, `frameCount * channelCount` of them.
    public var samples: UnsafeBufferPointer<Float> { UnsafeBufferPointer(start: storage, count: frameCount * channelCount) }
    /// The position after the last frame.
    public var end: Int64 { position + Int64(frameCount) }

    /// Makes a block. `fill` must initialise every sample.
    public init(position: Int64, frameCount: Int, channelCount: Int, fill: (UnsafeMutableBufferPointer<Float>) -> Void) {
        precondition(frameCount >= 0 && channelCount > 0)
        self.position = position
        self.frameCount = frameCount
        self.channelCount = channelCount
        storage = .allocate(capacity: max(1, frameCount * channelCount))
        fill(UnsafeMutableBufferPointer(start: storage, count: frameCount * channelCount))
    }

    deinit { storage.deallocate() }
}
