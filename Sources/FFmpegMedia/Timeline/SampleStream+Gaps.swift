import CFFmpeg
import PlaybackEngine

/// Packets that are missing where packets are counted: Matroska, MPEG-TS and their like say when each packet is due, if coarsely.
extension SampleStream {
    /// Leaves out what is missing before the packet in hand: silence stands for it, and what follows keeps its place.
    func passMissing() throws(PlaybackError) {
        let end = lastByte, packetPlace = packet.raw.pointee.pos
        // Of several packets in one piece of the container only the first has a place.
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
        // What went before is no neighbour of what follows. A decoder that knows nothing of it gives the same wherever the medium was entered.
        try renewDecoder()
        adapter?.reset()
        guard let next = clock.next, next > position else { return }
        // Packets may be left out on purpose, as where nobody speaks; where their bytes are there and unreadable it was damage.
        if isCorrupt || passed > max(512, bytes / 2) { lostPackets += Int(clamping: max(1, packets)) }
    }

    /// How much of `gap` the packets that follow confirm: what only comes late, because its writer was held up, is soon back in time.
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
        // Durations are as coarse as timestamps: only what is more than that counts.
        return least > gap.frames - Int64(format.sampleRate) / 50 ? clock.rounded(gap) : nil
    }

    /// Whether the chosen stream has the container to itself.
    var isAlone: Bool {
        (0..<Int(demuxer.context.pointee.nb_streams)).allSatisfy { number in
            guard let other = demuxer.context.pointee.streams[number] else { return true }
            return other == demuxer.stream || other.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
    }
}
