import CFFmpeg
import PlaybackEngine

/// Detects rounded timestamps in MP4 and Ogg, in which timestamps should count samples. Packets that were copied from Matroska, FLV or MPEG-TS keep
/// the timestamps of that container, which are rounded to about a millisecond. Packets with rounded timestamps still follow each other without a gap,
/// so their positions are determined by counting.
struct RoundedTimestamps {
    let demuxer: Demuxer
    let start: StreamStart
    let clock: PacketClock

    /// Returns whether the timestamps of the first packets, or of the container's index, are rounded. `areFound` must be called before any packet is
    /// taken from `reader`.
    func areFound(in reader: PacketReader, _ meter: PacketMeter) throws(PlaybackError) -> Bool {
        guard clock.basis == .timestamps else { return false }
        switch demuxer.traits.container {
        case .mp4: return isIndexRounded
        case .ogg: return demuxer.io.source.isSeekable ? try arePagesRounded(reader, meter) : false
        default: return false
        }
    }

    /// The timestamps of the container's index count as rounded if more than one in 32 of the steps between them is irregular: then the program that
    /// wrote the file had an unsteady clock.
    private static let share: Int64 = 32
    /// Whether all packets of the codec in MP4, except for the last packet, decode to the same number of samples.
    private var hasEqualPackets: Bool {
        [AV_CODEC_ID_AAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_AC3, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2].contains { $0 == demuxer.codec }
    }

    private var isIndexRounded: Bool {
        let size = Int64(start.frameSize)
        // Index entries for some minutes are enough to detect rounded timestamps, so that a book of many hours opens as fast as a song.
        let count = min(8192, demuxer.indexCount)
        guard hasEqualPackets, count > 2 else { return false }
        var before = demuxer.indexedTime(0), odd = 0
        for number in 1..<count {
            guard let timestamp = demuxer.indexedTime(number) else { return false }
            if let last = before, let step = clock.raw(timestamp &- last), step != size {
                if clock.isRounding(step - size) { return true }
                if abs(step - size) < size / 2 { odd += 1 }
            }
            before = timestamp
        }
        return odd > 1 && Int64(odd) > count / RoundedTimestamps.share
    }

    /// Returns whether the timestamps of Ogg pages are rounded: a copy of the clock places the first packets, and notices a difference between a
    /// timestamp and the counted position. Only the last packet of an Ogg page has a timestamp, so four pages are examined. Also resets `meter`.
    private func arePagesRounded(_ reader: PacketReader, _ meter: PacketMeter) throws(PlaybackError) -> Bool {
        var trial = clock, pages = 0, page: Int64 = -1, number = 0
        defer { meter.reset() }
        meter.reset()
        while pages < 5, number < 1024, let packet = try reader.packet(ahead: number) {
            if packet.pointee.pos != page { (page, pages) = (packet.pointee.pos, pages + 1) }
            _ = trial.place(packet, samples: number < start.leadingSamples.count ? start.leadingSamples[number] : meter.samples(in: packet))
            if trial.isRounded { return true }
            number += 1
        }
        return false
    }
}
