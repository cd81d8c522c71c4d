import CFFmpeg
import PlaybackEngine

/// A packet that can be stored: the owner of one `AVPacket`.
final class StoredPacket {
    private let handle: PacketHandle
    var raw: UnsafeMutablePointer<AVPacket> { handle.raw }

    /// Makes an empty stored packet.
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
