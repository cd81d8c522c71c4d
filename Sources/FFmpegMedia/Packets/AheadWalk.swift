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
        do throws(PlaybackError) {
            let hasMore = try walk.advance(io, limit: .max, spacing: max(1, distance / samples)) { frame in
                record(
                    SeekIndex.Entry(
                        position: position + frame.number * samples, byte: frame.offset, timestamp: 0, size: frame.size, digest: frame.digest))
            }
            if hasMore { return nil }
            let end = try end(io)
            isOver = true
            return end
        } catch {
            isOver = !io.interrupt.isRaised
            throw error
        }
    }

    /// Returns the position after the last frame, if that frame is complete and only an ID3v1 tag or nothing follows it; otherwise nil.
    private func end(_ io: IOContext) throws(PlaybackError) -> Int64? {
        let bytes = try io.bytes(walk.offset..<(walk.offset + Int64(FrameWalk.window + 256)))
        let size = bytes.withUnsafeBufferPointer { bytes in
            bytes.count >= FrameRun.headerSize ? bytes.baseAddress.map { walk.run.size(at: $0) } ?? 0 : 0
        }
        guard size > 0, size <= bytes.count else { return nil }
        let rest = bytes[size...]
        guard rest.isEmpty || rest.count == 128 && rest.starts(with: "TAG".utf8) else { return nil }
        return position + (walk.count + 1) * samples
    }
}
