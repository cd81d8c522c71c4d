import CFFmpeg
import PlaybackEngine

/// Walks over the headers of a local file of MPEG audio or ADTS, a portion at a time, whenever playback has enough audio in advance. The walk fills
/// the index of packets, and shows the exact length of the file before playback reaches its end.
final class AheadWalk {
    private var walk: FrameWalk
    /// The position of the first frame of the walk, and the number of samples of each frame.
    private let position: Int64
    private let samples: Int64
    private(set) var isOver = false

    /// The number of bytes of a portion: few enough for the cache of a processor, and for a slow disk.
    private static let portion = 256 << 10

    /// - Parameters:
    ///   - byte: The byte offset of the first frame of the walk.
    ///   - position: The position of this frame.
    ///   - samples: The number of samples of each frame of the run.
    init(_ run: FrameRun, from byte: Int64, position: Int64, samples: Int64) {
        walk = FrameWalk(run, from: byte)
        self.position = position
        self.samples = samples
    }

    /// Walks over the next portion of the file, and calls `record` for about one packet in each `distance` frames. Returns the position after the
    /// last frame of the file, if the walk has reached the end and nothing but a tag follows; otherwise nil.
    ///
    /// Throws the errors of the byte source, which end the walk, and `cancelled` if the interrupt is raised, after which the walk can continue.
    func advance(_ io: IOContext, distance: Int64, record: (SeekIndex.Entry) -> Void) throws(PlaybackError) -> Int64? {
        guard !isOver else { return nil }
        let before = io.source.offset, buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AheadWalk.portion, alignment: 16)
        defer {
            buffer.deallocate()
            // The seek moves no bytes: the source only stores the offset of the next read.
            try? io.source.seek(to: before)
        }
        let count = try read(io, into: buffer), reached = walk.offset
        let bytes = UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
        walk.advance(over: bytes, limit: .max, spacing: max(1, distance / samples)) { frame in
            record(
                SeekIndex.Entry(
                    position: position + frame.number * samples, byte: frame.offset, timestamp: 0, size: frame.size, digest: frame.digest))
        }
        guard walk.isOver || count < buffer.count || walk.offset == reached else { return nil }
        let end = try end(io)
        isOver = true
        return end
    }

    /// Reads the bytes from the walk's offset on. An error ends the walk, unless the interrupt is raised.
    private func read(_ io: IOContext, into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        do throws(PlaybackError) { return try io.read(at: walk.offset, into: buffer) } catch {
            isOver = !io.interrupt.isRaised
            throw error
        }
    }

    /// Returns the position after the last frame, if it is whole and only an ID3v1 tag or nothing follows.
    private func end(_ io: IOContext) throws(PlaybackError) -> Int64? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameWalk.window + 256, alignment: 16)
        defer { buffer.deallocate() }
        let count = try read(io, into: buffer)
        let bytes = UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
        guard count >= FrameRun.headerSize, let start = bytes.baseAddress else { return nil }
        let size = walk.run.size(at: start)
        guard size > 0, size <= count else { return nil }
        let rest = bytes[size...]
        guard rest.isEmpty || rest.count == 128 && rest.starts(with: "TAG".utf8) else { return nil }
        return position + (walk.count + 1) * samples
    }
}
