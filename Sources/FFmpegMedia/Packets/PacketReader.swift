import CFFmpeg
import PlaybackEngine

/// The packets of the played stream in their order: the current packet, and the packets that have been read before they are needed.
final class PacketReader {
    private let demuxer: Demuxer
    private let handle: PacketHandle
    /// The packets that have been read ahead of the current packet. At first `ahead` contains the packets that were read when the medium was opened.
    private var ahead: [StoredPacket]
    /// The number of the current packet, counted from the first packet of the stream; nil after a seek.
    private(set) var number: Int?
    /// The number of the next packet, counted from the first packet of the stream; nil after a seek.
    private var nextNumber: Int? = 0

    /// - Parameter ahead: The first packets of the stream, which have already been read to learn its format.
    init(_ demuxer: Demuxer, ahead: [StoredPacket]) throws(PlaybackError) {
        self.demuxer = demuxer
        self.ahead = ahead
        handle = try PacketHandle()
    }

    /// The packet that is decoded now.
    var packet: UnsafeMutablePointer<AVPacket> { handle.raw }
    /// Whether the demuxer has already read packets after the current packet.
    var isAhead: Bool { !ahead.isEmpty }

    /// Makes the stream's next packet the current packet; returns false at the end of the stream.
    func advance() throws(PlaybackError) -> Bool {
        if ahead.isEmpty {
            guard try demuxer.read(into: packet) else { return false }
        } else {
            ahead.removeFirst().move(to: packet)
        }
        number = nextNumber
        nextNumber = nextNumber.map { $0 + 1 }
        return true
    }

    /// Returns a packet after the current packet, without changing the current packet; nil at the end of the stream. The number 0 stands for the
    /// packet after the current packet.
    func packet(ahead number: Int) throws(PlaybackError) -> UnsafeMutablePointer<AVPacket>? {
        while ahead.count <= number {
            let fresh = try StoredPacket()
            guard try demuxer.read(into: fresh.raw) else { return nil }
            ahead.append(fresh)
        }
        return ahead[number].raw
    }

    /// Discards the packets after the current packet that have already been read. Read-ahead packets must be discarded before the demuxer seeks.
    func discardAhead() {
        ahead.removeAll()
        (number, nextNumber) = (nil, nil)
    }

    /// Makes the first packet of the stream the next packet, after the demuxer has returned to the start.
    ///
    /// - Parameter isCurrent: Whether the first packet has already been read, and is the current packet.
    func restart(isCurrent: Bool) throws(PlaybackError) {
        ahead = isCurrent ? [try StoredPacket(cloning: packet)] : []
        nextNumber = 0
    }
}

/// A packet that can be stored: the owner of one `AVPacket`.
final class StoredPacket {
    private let handle: PacketHandle
    var raw: UnsafeMutablePointer<AVPacket> { handle.raw }

    init() throws(PlaybackError) { handle = try PacketHandle() }

    init(cloning packet: UnsafePointer<AVPacket>) throws(PlaybackError) {
        handle = try PacketHandle()
        if av_packet_ref(handle.raw, packet) < 0 { throw .outOfMemory }
    }

    /// Moves the contents of this stored packet to `packet`, and leaves this one empty.
    func move(to packet: UnsafeMutablePointer<AVPacket>) {
        av_packet_unref(packet)
        av_packet_move_ref(packet, handle.raw)
    }
}
