import CFFmpeg
import PlaybackEngine

extension PacketTimeline {
    /// Adds the packet at or before `position` to the seek index if its number gives its exact position: in an MP4 file with rounded timestamps, the
    /// container's index states the number of a packet, and all packets of AAC decode to the same number of frames. Does nothing if the seek index
    /// has a packet at most a second before `position`, or if the current packet ends there.
    ///
    /// Positions with gaps between packets are counted from the start instead, because the gaps are measured while packets are read (`PacketGaps`).
    func indexPacket(before position: Int64) throws(PlaybackError) {
        let rate = Int64(start.format.sampleRate), size = Int64(start.frameSize), leading = start.leadingSamples
        guard isRounded, isSeekable, demuxer.traits.container == .mp4, demuxer.codec == AV_CODEC_ID_AAC, size > 0 else { return }
        let first = firstPosition + leading.reduce(0, +)
        guard position > first, position - (index.last(atOrBefore: position)?.position ?? firstPosition) > rate else { return }
        if !isEstimated, let end = span.end, end <= position, position - end <= rate { return }
        let steps = (position - first) / size, number = Int64(leading.count) + steps
        // The index must show no gap that `PacketGaps` would find. `PacketGaps` finds gaps of more than 5 ms, if packets are damaged.
        let ticks = clock.timestamp(at: size + rate / 200) - clock.timestamp(at: 0)
        guard let time = demuxer.indexedTime(number), let place = demuxer.indexed(number), demuxer.isIndexDense(limit: ticks) else { return }
        restart()
        try demuxer.seek(timestamp: time)
        guard try feed.advance(), packet.pointee.pos == place.byte, packet.pointee.pts == time else { return }
        record(SeekIndex.entry(for: packet, at: first + steps * size))
    }
}
