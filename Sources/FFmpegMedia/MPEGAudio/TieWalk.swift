import PlaybackEngine

/// Counts the frames from a frame to the byte offset of another one, so that the position of one of the two follows from that of the other. It walks
/// over the headers of frames whose bytes have already been received, so it causes no request; each call covers a small portion.
struct TieWalk {
    private var walk: FrameWalk
    /// The byte offset at which the walk ends.
    private let target: Int64
    /// The position of the frame at which the walk begins.
    let position: Int64
    /// Whether the walk cannot reach its target: other bytes are between the frames, or no frame begins at the target.
    private(set) var isOver = false

    /// The number of bytes that a call covers at most.
    static let portion: Int64 = 64 << 10
    /// A spacing of marked frames that exceeds the number of frames of any medium, so that no frame but the first is marked.
    private static let unmarked: Int64 = 1 << 48

    /// - Parameters:
    ///   - byte: The byte offset of the frame at which the walk begins.
    ///   - position: The position of this frame.
    ///   - target: The byte offset at which the walk ends: the start of a frame, or the end of the last frame.
    init(_ run: FrameRun, from byte: Int64, position: Int64, to target: Int64) {
        walk = FrameWalk(run, from: byte)
        self.position = position
        self.target = target
    }

    /// Walks over the next portion, if its bytes are present. Returns the number of frames from the first frame of the walk to the target, if the
    /// walk has reached the target; otherwise nil.
    mutating func advance(_ source: any ByteSource) -> Int64? {
        guard !isOver else { return nil }
        if walk.offset == target { return walk.count }
        guard walk.offset < target else {
            isOver = true
            return nil
        }
        let end = min(walk.offset + TieWalk.portion, target)
        guard source.isPresent(walk.offset..<end) else { return nil }
        let size = min(Int(end - walk.offset) + FrameRun.headerSize, Int(TieWalk.portion))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let count = source.copyPresent(at: walk.offset, into: buffer), reached = walk.offset
        let bytes = UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
        walk.advance(over: bytes, limit: .max, spacing: TieWalk.unmarked) { _ in }
        if walk.offset == target { return walk.count }
        // The walk does not count the last frame before the target, if no frame of the run follows it.
        if let frames = framesWithLast(bytes[Int(walk.offset - reached)...]) { return frames }
        if walk.isOver || walk.offset > target || walk.offset == reached { isOver = true }
        return nil
    }

    private func framesWithLast(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        let rest = UnsafeBufferPointer(rebasing: bytes)
        guard rest.count >= FrameRun.headerSize, let start = rest.baseAddress, walk.offset + Int64(walk.run.size(at: start)) == target else {
            return nil
        }
        return walk.count + 1
    }
}

/// The walks that may tie estimated positions to exact ones (R-SEEK-24).
struct TieWalks {
    /// The walk from the last frame of exact position before the landing to the landing; nil before it begins.
    var before: TieWalk?
    /// The walk from a frame at an estimated position to the next frame of exact position, or to the end of the audio; nil before it begins.
    var after: TieWalk?
    /// The exact position at the target of `after`.
    var end: Int64 = 0
    /// The number of packets before the next attempt to begin `after`.
    var pause = 0
}
