import CFFmpeg
import PlaybackEngine

/// MP4 and Ogg count samples. But packets copied from Matroska, FLV or MPEG-TS keep the timestamps of that container, rounded to about a millisecond.
/// They still follow each other without a gap, so they are counted.
extension SampleStream {
    /// Whether the timestamps of the first packets, or of the container's index, are rounded. Call before anything is delivered.
    func hasRoundedTimes() throws(PlaybackError) -> Bool {
        guard clock.basis == .timestamps else { return false }
        switch demuxer.name {
        case "mov": return isIndexRounded
        case "ogg": return isSeekable ? try arePagesRounded() : false
        default: return false
        }
    }

    /// The writer's clock was unsteady if more than one in this many steps of the index is irregular.
    private static let share: Int32 = 32
    /// Whether all packets of the codec in MP4, but for the last, decode to the same number of samples.
    private var hasEqualPackets: Bool {
        [AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_AC3, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2].contains { $0 == demuxer.codec }
    }

    private var isIndexRounded: Bool {
        let track = demuxer.stream, size = Int64(start.frameSize)
        // Minutes are enough: a book of many hours opens as fast as a song.
        let count = min(8192, avformat_index_get_entries_count(track))
        guard hasEqualPackets, count > 2 else { return false }
        var before = avformat_index_get_entry(track, 0)?.pointee.timestamp, odd = 0
        for number in 1..<count {
            guard let timestamp = avformat_index_get_entry(track, number)?.pointee.timestamp else { return false }
            if let last = before, let step = clock.raw(timestamp &- last), step != size {
                if clock.isRounding(step - size) { return true }
                if abs(step - size) < size / 2 { odd += 1 }
            }
            before = timestamp
        }
        return odd > 1 && Int32(clamping: odd) > count / SampleStream.share
    }

    /// Whether the timestamps of Ogg pages are rounded. Only ends of pages have one; four pages are examined.
    private func arePagesRounded() throws(PlaybackError) -> Bool {
        var trial = clock, pages = 0, page: Int64 = -1, number = 0
        trial.jumped()
        defer { meter.reset() }
        meter.reset()
        while pages < 5, number < 1024 {
            if number >= queued.count {
                guard try demuxer.read(into: packet.raw) else { break }
                queued.append(try PacketHandleBox(cloning: packet.raw))
            }
            let next = queued[number].raw
            if next.pointee.pos != page { (page, pages) = (next.pointee.pos, pages + 1) }
            _ = trial.place(next, samples: number < start.leadingSamples.count ? start.leadingSamples[number] : meter.samples(in: next))
            if trial.isRounded { return true }
            number += 1
        }
        return false
    }

    /// Whether the current packet is the last one.
    func isLast() throws(PlaybackError) -> Bool {
        guard queued.isEmpty else { return false }
        let inHand = try PacketHandleBox(cloning: packet.raw)
        let follows = try demuxer.read(into: packet.raw)
        if follows { queued.append(try PacketHandleBox(cloning: packet.raw)) }
        inHand.move(to: packet.raw)
        return !follows
    }
}
