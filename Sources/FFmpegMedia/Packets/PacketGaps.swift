import CFFmpeg
import PlaybackEngine

/// Detects missing packets in streams in which the positions of packets are determined by counting. Matroska, MPEG-TS and similar containers state
/// the time of each packet, but only coarsely.
struct PacketGaps {
    /// Audio that is missing before a packet of the stream.
    struct Loss {
        /// The length of the audio that is missing before a packet, in frames.
        let frames: Int64
        /// The number of packets that were lost to damage in a gap; 0 if the encoder omitted them on purpose.
        let packets: Int
    }
    /// The byte offset after the last packet in the container; nil if the container does not state offsets.
    private var lastByte: Int64?

    /// Discards the byte offset after the preceding packet, after a seek.
    mutating func reset() { lastByte = nil }

    /// Returns the audio that is missing before the current packet, as a number of frames and of lost packets; nil if no audio is missing. `loss`
    /// must be called for each packet, in order.
    ///
    /// - Parameter isOnlyStream: Whether the container has no other stream, so that all bytes between two packets belong to the played stream.
    mutating func loss(in reader: PacketReader, clock: PacketClock, isOnlyStream: Bool) throws(PlaybackError) -> Loss? {
        let packet = reader.packet, size = Int64(packet.pointee.size)
        let end = lastByte, offset = packet.pointee.pos
        // If one block of a container has several packets, only its first packet has a byte offset.
        lastByte = (offset >= 0 ? offset : lastByte).flatMap { offset in
            let (next, isTooFar) = offset.addingReportingOverflow(size)
            return isTooFar ? nil : next
        }
        let isCorrupt = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
        let skipped = isOnlyStream && offset >= 0 ? end.map { offset - $0 } ?? 0 : 0
        guard let gap = clock.gap(before: packet, isDamaged: isCorrupt || skipped > 512) else { return nil }
        guard let lasting = try PacketGaps.lasting(gap, in: reader, clock: clock) else { return nil }
        // An encoder may omit packets on purpose, for example during silence in speech. A gap between packets counts as damage only if the container
        // has unreadable bytes between these packets.
        let packets = lasting.frames / max(1, lasting.packet), bytes = packets * size
        let isDamage = isCorrupt || skipped > max(512, bytes / 2)
        return Loss(frames: lasting.frames, packets: isDamage ? Int(clamping: max(1, packets)) : 0)
    }

    /// Returns the gap `gap` between two packets if the following packets confirm it; nil otherwise. A gap is not confirmed if the timestamps were
    /// late only because the program that wrote the file was delayed: such timestamps are soon correct again.
    private static func lasting(_ gap: PacketClock.Gap, in reader: PacketReader, clock: PacketClock) throws(PlaybackError) -> PacketClock.Gap? {
        var due = gap.due, least = gap.frames, preceding: UnsafeMutablePointer<AVPacket> = reader.packet
        for number in 0..<8 {
            guard let packet = try reader.packet(ahead: number) else { break }
            due += clock.raw(preceding.pointee.duration).flatMap { $0 > 0 ? $0 : nil } ?? gap.packet
            if packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = clock.raw(packet.pointee.pts) { least = min(least, stamped - due) }
            preceding = packet
        }
        return clock.isLasting(gap, least: least) ? clock.rounded(gap) : nil
    }
}
