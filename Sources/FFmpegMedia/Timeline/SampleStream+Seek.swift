import CFFmpeg
import PlaybackEngine

extension SampleStream {
    /// Seeks to `target`, and returns the position of the next frame, which lies in `target - before ... target + after`.
    ///
    /// With tolerances, the landing is the first correct sample after a packet at which the medium can be entered, at most a second from `target`. A
    /// remote medium without index, of which this part has not been read, is entered by estimate, without a transfer of everything before.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, !isLost, !isEstimated || before > 0 || after > 0 { return position }
        guard isSeekable else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        do throws(PlaybackError) {
            if isLost { demuxer.io.clearFailure() }
            try land(target, before: before, after: after)
            isLost = false
        } catch {
            isLost = true
            throw error
        }
        return position
    }

    private func land(_ target: Int64, before: Int64, after: Int64) throws(PlaybackError) {
        // This codec must decode everything from the start. Frames already decoded are not decoded again, and those before `target` are discarded.
        if traits.preroll == CodecTraits.everything, !isLost, !isEstimated, position <= target { return position = target }
        let from = target - traits.preroll
        switch clock.basis {
        case .timestamps, .packets:
            if before > 0 || after > 0, try landNear(target, before: before, after: after, anchor: nil) { return }
            try landByTimestamp(before: from, target: target)
        case .counting:
            if before > 0 || after > 0 {
                let anchor = index.last(atOrBefore: from)
                if let anchor, try landNear(target, before: before, after: after, anchor: anchor) { return }
                if try landByEstimate(target, before: before, after: after) { return }
            }
            try landByIndex(before: from, target: target)
        }
    }

    /// Enters at the packet `anchor`, or by timestamp, if its first correct sample lies within the tolerances; otherwise returns false.
    private func landNear(_ target: Int64, before: Int64, after: Int64, anchor: SeekIndex.Entry?) throws(PlaybackError) -> Bool {
        let nearest = Int64(format.sampleRate)
        let range = (target - min(before, nearest))...(target + min(after, nearest))
        if let anchor {
            // Positions are counted from the anchor, not from an earlier estimate, whose error would persist.
            guard range.contains(anchor.position + traits.preroll), anchor.position > firstPosition, try land(on: anchor, target: target) else {
                return false
            }
            isEstimated = false
        } else {
            let from = target - traits.preroll
            guard from > firstPosition, from <= PacketClock.furthest else { return false }
            restart(at: target)
            clock.jumped()
            guard try tries({ () throws(PlaybackError) in try demuxer.seek(timestamp: clock.timestamp(at: from)) }), try nextPacket() else {
                return false
            }
        }
        guard let place = packetPosition, !SeekIndex.matches(start.first, packet.raw), range.contains(place + traits.preroll) else { return false }
        position = max(0, place + traits.preroll)
        try decodePacket()
        return true
    }

    /// Whether `seek` is possible.
    var isSeekable: Bool { demuxer.io.source.isSeekable }

    // MARK: Containers with exact timestamps

    private func landByTimestamp(before from: Int64, target: Int64) throws(PlaybackError) {
        // If the container's index is coarse or wrong, the demuxer lands late or after the last packet. Each further attempt begins further back, the
        // last one at the start.
        var distance: Int64 = 0
        // No medium has frames beyond this position.
        let from = min(from, PacketClock.furthest)
        while from - distance > firstPosition {
            restart(at: target)
            clock.jumped()
            if try tries({ () throws(PlaybackError) in try demuxer.seek(timestamp: clock.timestamp(at: from - distance)) }), try nextPacket() {
                // The stream's first packet may decode to fewer frames than it states.
                if SeekIndex.matches(start.first, packet.raw) { break }
                if let place = packetPosition, place <= from { return try skipPackets(before: from) }
            }
            distance = max(Int64(format.sampleRate), distance * 4)
        }
        try rewind(target)
        guard try nextPacket() else { return markEnd() }
        try skipPackets(before: from)
    }

    // MARK: Containers that are counted

    private func landByIndex(before from: Int64, target: Int64) throws(PlaybackError) {
        let here = isLost || isEstimated ? nil : packetEnd
        isEstimated = false
        let anchor = index.last(atOrBefore: from)
        // Continuing from here is as good as a jump, unless the index has a closer packet.
        let canGoOn = queued.isEmpty
        if let here, canGoOn, here <= from, (anchor?.position ?? .min) <= here {
            restart(at: target, fromNextPacket: true)
            clock.goOn(from: here)
            packetEnd = here
        } else if let anchor, anchor.position > firstPosition, try land(on: anchor, target: target) {
            return try skipPackets(before: from)
        } else {
            try rewind(target)
        }
        guard try nextPacket() else { return markEnd() }
        try skipPackets(before: from)
    }

    /// Enters a remote medium at the estimated position of `target`; false if this saves nothing or misses the tolerances.
    private func landByEstimate(_ target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Bool {
        let rate = Int64(format.sampleRate)
        guard demuxer.io.source.isRemote, target - (index.last(atOrBefore: target)?.position ?? 0) > 10 * rate else { return false }
        guard let length = demuxer.io.source.length, let seconds = duration.seconds, seconds > 0 else { return false }
        restart(at: target)
        var place = target
        switch ContainerTraits.entrance(demuxer) {
        case .byte:
            // An estimate by the share of bytes is as accurate as the duration: within one or two seconds in real files.
            guard before >= 2 * rate || after >= 2 * rate else { return false }
            let share = Double(target) / (seconds * Double(rate))
            guard share < 1 else { return false }
            let byte = start.first.byte + Int64(share * Double(length - start.first.byte))
            guard try tries({ () throws(PlaybackError) in try demuxer.seek(byte: byte) }), try demuxer.read(into: packet.raw) else { return false }
            // If the packet is larger or smaller than the first, the bit rate varies, and the share of bytes does not give the time.
            guard abs(packet.raw.pointee.size - start.packetSize) <= 1 else { return false }
        case .timestamp:
            guard try tries({ () throws(PlaybackError) in try demuxer.seek(timestamp: start.first.timestamp &+ clock.timestamp(at: target)) }),
                try demuxer.read(into: packet.raw), packet.raw.pointee.pts != CFFmpeg_noTimestamp()
            else { return false }
            guard let raw = clock.raw(packet.raw.pointee.pts &- start.first.timestamp) else { return false }
            place = raw - clock.origin
            guard place >= target - before, place <= target + after else { return false }
        case .none: return false
        }
        isEstimated = true
        clock.jumped(to: place)
        packetPosition = place
        packetEnd = measuredSamples().map { place + $0 }
        clock.next = packetEnd
        position = max(0, place)
        try decodePacket()
        return true
    }

    /// Seeks to a known packet, which becomes the current one; false if it is not found again.
    private func land(on anchor: SeekIndex.Entry, target: Int64) throws(PlaybackError) -> Bool {
        restart(at: target)
        guard try enter(at: anchor), try find(anchor) else { return false }
        clock.jumped(to: anchor.position)
        let samples = measuredSamples()
        packetPosition = clock.place(packet.raw, samples: samples)
        packetEnd = samples.map { anchor.position + $0 }
        return true
    }

    /// Reads on to the packet of `entry`; false if it is not among the next 4096 packets.
    private func find(_ entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        for _ in 0..<4096 {
            guard try demuxer.read(into: packet.raw) else { return false }
            if SeekIndex.matches(entry, packet.raw) { return true }
            if entry.byte >= 0, packet.raw.pointee.pos > entry.byte { return false }
        }
        return false
    }

    // MARK: Measuring

    /// Reads the whole medium once to learn its exact length, then returns to the start (R-ASSET-11). Decodes only if counting packets is not enough.
    func measure() throws(PlaybackError) {
        guard !duration.isExact, isSeekable else { return }
        let end = Int64.max / 4
        try rewind(end)
        while try nextPacket() {
            if packetEnd != nil { continue }
            try decodePacket()
            // `position` is far ahead, so that all decoded frames are discarded.
            while try decodeFrame() {}
            break
        }
        if !isAtEnd {
            // Only decoding the last packets shows what is trimmed from the end, and what the decoder still holds when it is drained.
            try land(max(0, (packetEnd ?? 1) - 1), before: 0, after: 0)
            while try decodeFrame() { position = max(position, decodedEnd ?? position) }
        }
        try land(0, before: 0, after: 0)
    }

    // MARK: Common

    /// Returns to the stream's first packet.
    private func rewind(_ target: Int64) throws(PlaybackError) {
        restart(at: target)
        // The demuxer may have lost its way after many seeks. If so, a new one is opened.
        if try enter(at: start.first), try demuxer.read(into: packet.raw), SeekIndex.matches(start.first, packet.raw) {
            queued = [try PacketHandleBox(cloning: packet.raw)]
        } else {
            try demuxer.reopen()
        }
        // Not every decoder resets completely when it is flushed, so a new one is made.
        if traits.preroll > 0 { try renewDecoder() }
        clock.jumped(to: firstPosition)
        ordinal = 0
    }

    /// Seeks the demuxer to a known packet or close to it; false if this is not possible.
    private func enter(at entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        try tries { () throws(PlaybackError) in
            switch ContainerTraits.entrance(demuxer) {
            case .byte where clock.basis == .counting && entry.byte >= 0: try demuxer.seek(byte: entry.byte)
            case .none: throw PlaybackError(.notSeekable, "The medium's container does not support seeking.")
            default: try demuxer.seek(timestamp: entry.timestamp)
            }
        }
    }

    /// Whether `attempt` succeeds. Rethrows only a cancellation.
    private func tries(_ attempt: () throws(PlaybackError) -> Void) throws(PlaybackError) -> Bool {
        do throws(PlaybackError) {
            try attempt()
            return true
        } catch {
            if error.code == .cancelled { throw error }
            return false
        }
    }

    /// Skips packets that end at or before `from`, beginning with the current one, without decoding them. Sends the next one to the decoder.
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
