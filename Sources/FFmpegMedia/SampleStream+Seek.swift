import CFFmpeg
import PlaybackEngine

extension SampleStream {
    /// Goes to `target`; the next frame delivered is the one at the returned position, which lies in `target - before ... target + after`.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, before == 0, after == 0 { return position }
        guard isSeekable else { throw PlaybackError(.notSeekable, "This medium cannot be positioned.") }
        let from = target - traits.preroll
        switch clock.basis {
        case .timestamps, .packets: try landByTimestamp(before: from, target: target)
        case .counting: try landByIndex(before: from, target: target)
        }
        return position
    }

    /// Whether `seek` works at all.
    var isSeekable: Bool { demuxer.io.source.isSeekable }

    // MARK: Containers with exact timestamps

    private func landByTimestamp(before from: Int64, target: Int64) throws(PlaybackError) {
        restart(at: target)
        // Landing late is possible where the container's index is coarse: then from further back.
        var distance: Int64 = 0
        while true {
            let wanted = max(firstPosition, from - distance)
            let isFirst = wanted <= firstPosition
            clock.jumped()
            restart(at: target)
            if isFirst { try rewind() } else { try demuxer.seek(timestamp: clock.timestamp(at: wanted)) }
            guard try nextPacket() else { return markEnd() }
            if isFirst || (packetPosition ?? .max) <= from { break }
            distance = max(Int64(format.sampleRate), distance * 4)
        }
        try skipPackets(before: from)
    }

    // MARK: Containers that are counted

    private func landByIndex(before from: Int64, target: Int64) throws(PlaybackError) {
        let here = packetEnd
        let anchor = index.last(atOrBefore: from)
        // Going on from here is as good as any jump, unless the index knows a nearer place.
        let canGoOn = ordinal == nil || queued.isEmpty
        if let here, canGoOn, here <= from, (anchor?.position ?? .min) <= here {
            restart(at: target)
            clock.jumped(to: here)
        } else if let anchor, anchor.position > firstPosition, try land(on: anchor, target: target) {
            if packetEnd ?? .max > from { return try decodePacket() }
        } else {
            restart(at: target)
            try rewind()
            clock.jumped(to: firstPosition)
        }
        guard try nextPacket() else { return markEnd() }
        try skipPackets(before: from)
    }

    /// Lands on a known packet and leaves it in hand. False where it could not be found again.
    private func land(on anchor: SeekIndex.Entry, target: Int64) throws(PlaybackError) -> Bool {
        restart(at: target)
        do {
            if ContainerTraits.seeksByByte(demuxer), anchor.byte >= 0 {
                try demuxer.seek(byte: anchor.byte)
            } else {
                try demuxer.seek(timestamp: anchor.timestamp)
            }
        } catch {
            if error.code == .cancelled { throw error }
            return false
        }
        for _ in 0..<4096 {
            guard try demuxer.read(into: packet.raw) else { return false }
            if SeekIndex.matches(anchor, packet.raw) {
                let samples = meter.samples(in: packet.raw)
                clock.jumped(to: anchor.position)
                packetPosition = clock.place(packet.raw, samples: samples)
                packetEnd = samples.map { anchor.position + $0 }
                return true
            }
        }
        return false
    }

    // MARK: Common

    /// Goes to the very first packet.
    private func rewind() throws(PlaybackError) {
        if ContainerTraits.seeksByByte(demuxer), clock.basis == .counting, let first = index.entries.first, first.byte >= 0 {
            try demuxer.seek(byte: first.byte)
        } else {
            try demuxer.seek(timestamp: start.firstTimestamp ?? 0)
        }
        ordinal = 0
    }

    /// Passes over packets, undecoded, that end at or before `from`, beginning with the one in hand; sends the first other to the decoder.
    private func skipPackets(before from: Int64) throws(PlaybackError) {
        while true {
            guard let end = packetEnd else { break }
            if end > from { break }
            if demuxer.io.interrupt.isRaised { throw .cancelled }
            guard try nextPacket() else { return markEnd() }
        }
        try decodePacket()
    }
}
