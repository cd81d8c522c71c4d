import CFFmpeg
import PlaybackEngine

/// The packets of a demuxer's chosen stream in their order: the current one, and those that were read ahead.
final class PacketFeed {
    private let demuxer: Demuxer
    private let handle: PacketHandle
    /// The packets that follow the current one and have been read, among them those read during opening.
    private var ahead: [StoredPacket]
    /// The number of the current packet, counted from the stream's first; nil after a jump.
    private(set) var number: Int?
    private var nextNumber: Int? = 0

    /// - Parameter ahead: The stream's first packets.
    init(_ demuxer: Demuxer, ahead: [StoredPacket]) throws(PlaybackError) {
        self.demuxer = demuxer
        self.ahead = ahead
        handle = try PacketHandle()
    }

    /// The current packet.
    var packet: UnsafeMutablePointer<AVPacket> { handle.raw }
    /// Whether the demuxer is further on than the current packet.
    var isAhead: Bool { !ahead.isEmpty }

    /// Makes the next packet the current one; false at the end.
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

    /// Returns a later packet, of which 0 is the next one; nil at the end. The current packet stays the same.
    func packet(ahead number: Int) throws(PlaybackError) -> UnsafeMutablePointer<AVPacket>? {
        while ahead.count <= number {
            let fresh = try StoredPacket()
            guard try demuxer.read(into: fresh.raw) else { return nil }
            ahead.append(fresh)
        }
        return ahead[number].raw
    }

    /// Discards the packets that were read ahead, before the demuxer jumps.
    func discardAhead() {
        ahead.removeAll()
        (number, nextNumber) = (nil, nil)
    }

    /// Makes the stream's first packet the next one, after the demuxer has returned to it.
    ///
    /// - Parameter isCurrent: Whether the first packet has been read, and is the current one.
    func restart(isCurrent: Bool) throws(PlaybackError) {
        ahead = isCurrent ? [try StoredPacket(cloning: packet)] : []
        nextNumber = 0
    }
}
