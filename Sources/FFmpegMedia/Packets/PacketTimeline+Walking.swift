import CFFmpeg
import PlaybackEngine

/// Decides when a walk, which reads only the headers of frames, is tried while packets are read. Walks that cover little are tried less
/// and less often.
struct WalkPacing {
    private var wait = 16
    private var pause = 16

    /// Returns whether a walk is tried before the next packet is read.
    mutating func isDue() -> Bool {
        wait -= 1
        return wait < 0
    }

    /// Records whether a walk has covered frames.
    mutating func note(hasMoved: Bool) {
        pause = hasMoved ? 16 : min(2 * pause, 4096)
        wait = pause
    }

    /// Ends all attempts: `isDue` returns false from now on.
    mutating func stop() { wait = .max }
}

extension PacketTimeline {
    enum Walk {
        /// The current packet is another one, nearer to the target.
        case moved
        /// The walk would cover too few frames. The current packet has not changed.
        case tooShort
        /// FFmpeg's demuxer has not found the last walked packet again, and the position of the demuxer is unknown.
        case lost
    }
    /// The smallest number of frames for which a walk is made.
    private static let leastFrames: Int64 = 64

    /// Whether the frames of the medium can be walked: the medium is MPEG audio or ADTS without container, and its positions are exact.
    var isWalkable: Bool { clock.basis == .counting && !isEstimated && !isRounded && demuxer.traits.isFrameStream }

    /// Walks from the current packet over the headers of consecutive frames, without FFmpeg, and makes the last walked frame that ends at or before
    /// the position `entry` the current packet. The walk ends before anything that is not such a frame, and leaves it to FFmpeg's demuxer, so that
    /// positions are the same as without a walk.
    func walk(before entry: Int64) throws(PlaybackError) -> Walk {
        guard isWalkable, reader.number.map({ $0 >= start.leadingSamples.count }) ?? true, let run = currentRun else { return .tooShort }
        guard let position = span.position, let end = span.end, end > position else { return .tooShort }
        let samples = end - position, limit = (entry - position) / samples
        guard limit >= PacketTimeline.leastFrames else { return .tooShort }
        var walk = FrameWalk(run, from: packet.pointee.pos)
        func indexed(_ frame: FrameWalk.Frame) -> SeekIndex.Entry {
            SeekIndex.Entry(
                position: position + frame.number * samples, byte: frame.offset, timestamp: 0, size: frame.size, digest: frame.digest)
        }
        let io = demuxer.io, spacing = max(1, index.distance / samples)
        var hasMore = true
        while hasMore, walk.count < limit {
            try io.check()
            hasMore = try walk.advance(io, limit: limit, spacing: spacing) { record(indexed($0)) }
            noteAudio(upTo: position + walk.count * samples)
            io.seekProgress?.pass(position + walk.count * samples, of: entry)
        }
        guard walk.count >= PacketTimeline.leastFrames, let last = walk.last else { return .tooShort }
        return try land(on: indexed(last)) ? .moved : .lost
    }

    /// Returns a walk over the frame headers from the current packet to the end of the file; `SampleStream.examine` advances it in portions during
    /// playback. Returns nil if the medium is remote, not seekable or not walkable (`isWalkable`), or if no walk can begin at the current packet.
    func aheadWalk() -> AheadWalk? {
        guard isWalkable, !demuxer.io.source.isRemote, isSeekable, reader.number.map({ $0 >= start.leadingSamples.count }) ?? true else { return nil }
        guard let run = currentRun, let position = span.position, let end = span.end, end > position else { return nil }
        return AheadWalk(run, from: packet.pointee.pos, position: position, samples: end - position)
    }

    /// The run of frames to which the current packet belongs; nil if the packet is anything but one whole frame.
    var currentRun: FrameRun? {
        guard let data = packet.pointee.data, packet.pointee.pos >= 0, let run = FrameRun(of: packet, in: demuxer) else { return nil }
        return run.size(at: data) == Int(packet.pointee.size) ? run : nil
    }
}

extension FrameRun {
    /// Makes the run to which the frame in a packet belongs; nil if the medium is not MPEG audio or ADTS without container, or if the packet has no
    /// frame of MPEG audio or ADTS.
    init?(of packet: UnsafePointer<AVPacket>, in demuxer: Demuxer) {
        guard demuxer.traits.isFrameStream, let data = packet.pointee.data else { return nil }
        self.init(UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size))), isADTS: demuxer.traits.container == .adts)
    }
}

extension FrameWalk {
    /// The number of bytes of a portion: few enough for the cache of a processor, and for a slow disk.
    private static let portion: Int64 = 256 << 10

    /// Reads the next portion of the medium, and walks over it. Returns whether another portion follows. FFmpeg's read offset does not change.
    mutating func advance(_ io: IOContext, limit: Int64, spacing: Int64, mark: (Frame) -> Void) throws(PlaybackError) -> Bool {
        let reached = offset, bytes = try io.bytes(reached..<(reached + FrameWalk.portion))
        bytes.withUnsafeBufferPointer { advance(over: $0, limit: limit, spacing: spacing, mark: mark) }
        return !isOver && offset > reached
    }
}
