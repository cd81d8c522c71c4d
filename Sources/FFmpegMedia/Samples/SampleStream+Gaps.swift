import CFFmpeg
import PlaybackEngine

/// Detection of missing packets if packets are counted. Matroska, MPEG-TS and similar containers state the time of each packet, but coarsely.
extension SampleStream {
    /// Skips audio that is missing before the current packet: silence replaces it, and later packets keep their positions.
    func passMissing() throws(PlaybackError) {
        let end = lastByte, packetPlace = packet.raw.pointee.pos
        // If a block of the container holds several packets, only the first has an offset.
        lastByte = (packetPlace >= 0 ? packetPlace : lastByte).flatMap { place in
            let (behind, isTooFar) = place.addingReportingOverflow(Int64(packet.raw.pointee.size))
            return isTooFar ? nil : behind
        }
        let isCorrupt = packet.raw.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
        let passed = isAlone && packetPlace >= 0 ? end.map { packetPlace - $0 } ?? 0 : 0
        guard let gap = clock.gap(before: packet.raw, isDamaged: isCorrupt || passed > 512) else { return }
        guard let lost = try lasting(gap) else { return }
        let packets = lost.frames / max(1, lost.packet), bytes = packets * Int64(packet.raw.pointee.size)
        clock.skip(lost.frames)
        // The packets before the gap do not join those after it. A new decoder gives the same samples from every entry point of the medium.
        try renewDecoder()
        adapter?.reset()
        guard let next = clock.next, next > position else { return }
        // An encoder may omit packets on purpose, for example while nobody speaks. It is damage only if unreadable bytes are there.
        if isCorrupt || passed > max(512, bytes / 2) { lostPackets += Int(clamping: max(1, packets)) }
    }

    /// Returns `gap` if the following packets confirm it. Packets that are only late, because their writer was delayed, are soon on time again.
    private func lasting(_ gap: PacketClock.Gap) throws(PlaybackError) -> PacketClock.Gap? {
        let inHand = try PacketHandleBox(cloning: packet.raw)
        var due = gap.due, least = gap.frames, before: UnsafeMutablePointer<AVPacket> = inHand.raw
        for number in 0..<8 {
            if number >= queued.count {
                guard try demuxer.read(into: packet.raw) else { break }
                queued.append(try PacketHandleBox(cloning: packet.raw))
            }
            let following = queued[number].raw
            due += clock.raw(before.pointee.duration).flatMap { $0 > 0 ? $0 : nil } ?? gap.packet
            if following.pointee.pts != CFFmpeg_noTimestamp(), let stamped = clock.raw(following.pointee.pts) { least = min(least, stamped - due) }
            before = following
        }
        inHand.move(to: packet.raw)
        // Durations are as coarse as timestamps: a difference of up to 20 ms does not count.
        return least > gap.frames - Int64(format.sampleRate) / 50 ? clock.rounded(gap) : nil
    }

    /// Whether the container has no other streams than the chosen one and attached pictures.
    var isAlone: Bool {
        (0..<Int(demuxer.context.pointee.nb_streams)).allSatisfy { number in
            guard let other = demuxer.context.pointee.streams[number] else { return true }
            return other == demuxer.stream || other.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
    }
}
