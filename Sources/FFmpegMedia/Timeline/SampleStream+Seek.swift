import CFFmpeg
import PlaybackEngine

extension SampleStream {
    /// Goes to `target`; the next frame delivered is the one at the returned position, which lies in `target - before ... target + after`.
    ///
    /// With tolerances the place taken is the first sound that is right behind a packet at which the medium can be entered, at most a second away.
    /// A remote medium without index, of which this part has not been read, is entered by estimate instead of being transferred up to there.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, !isLost, !isEstimated || before > 0 || after > 0 { return position }
        guard isSeekable else { throw PlaybackError(.notSeekable, "This medium cannot be positioned.") }
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
        // Where everything must be decoded, what has been need not be again: what lies before the place is dropped.
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

    /// Enters at a packet, known or by its timestamp, whose sound is right inside the tolerances; false where there is none.
    private func landNear(_ target: Int64, before: Int64, after: Int64, anchor: SeekIndex.Entry?) throws(PlaybackError) -> Bool {
        let nearest = Int64(format.sampleRate)
        let range = (target - min(before, nearest))...(target + min(after, nearest))
        if let anchor {
            // Counting from where the estimate led would carry its error on.
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

    /// Whether `seek` works at all.
    var isSeekable: Bool { demuxer.io.source.isSeekable }

    // MARK: Containers with exact timestamps

    private func landByTimestamp(before from: Int64, target: Int64) throws(PlaybackError) {
        // Landing late, or behind everything, is possible where the container's index is coarse or wrong: then from further back, at last from the
        // very start.
        var distance: Int64 = 0
        // Behind the furthest place there is nothing to look for.
        let from = min(from, PacketClock.furthest)
        while from - distance > firstPosition {
            restart(at: target)
            clock.jumped()
            if try tries({ () throws(PlaybackError) in try demuxer.seek(timestamp: clock.timestamp(at: from - distance)) }), try nextPacket() {
                // The very first packet is special: it may decode to less than it says.
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
        // Going on from here is as good as any jump, unless the index knows a nearer place.
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

    /// Enters a remote medium where `target` must be about; false where that would gain nothing, or is too far off.
    private func landByEstimate(_ target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Bool {
        let rate = Int64(format.sampleRate)
        guard demuxer.io.source.isRemote, target - (index.last(atOrBefore: target)?.position ?? 0) > 10 * rate else { return false }
        guard let length = demuxer.io.source.length, let seconds = duration.seconds, seconds > 0 else { return false }
        restart(at: target)
        var place = target
        switch ContainerTraits.entrance(demuxer) {
        case .byte:
            // A guess by the share of the bytes is as good as its duration: within a second or two in a real file.
            guard before >= 2 * rate || after >= 2 * rate else { return false }
            let share = Double(target) / (seconds * Double(rate))
            guard share < 1 else { return false }
            let byte = start.first.byte + Int64(share * Double(length - start.first.byte))
            guard try tries({ () throws(PlaybackError) in try demuxer.seek(byte: byte) }), try demuxer.read(into: packet.raw) else { return false }
            // Packets of another size than the first: the bit rate varies, and the share of the bytes says nothing of the time.
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

    /// Lands on a known packet and leaves it in hand. False where it could not be found again.
    private func land(on anchor: SeekIndex.Entry, target: Int64) throws(PlaybackError) -> Bool {
        restart(at: target)
        guard try enter(at: anchor), try find(anchor) else { return false }
        clock.jumped(to: anchor.position)
        let samples = measuredSamples()
        packetPosition = clock.place(packet.raw, samples: samples)
        packetEnd = samples.map { anchor.position + $0 }
        return true
    }

    /// Reads on to the packet that `entry` noted; false where it does not come soon.
    private func find(_ entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        for _ in 0..<4096 {
            guard try demuxer.read(into: packet.raw) else { return false }
            if SeekIndex.matches(entry, packet.raw) { return true }
            if entry.byte >= 0, packet.raw.pointee.pos > entry.byte { return false }
        }
        return false
    }

    // MARK: Measuring

    /// Reads everything once to learn the exact length, then goes back to the start (R-ASSET-11). Packets are only counted where that is enough.
    func measure() throws(PlaybackError) {
        guard !duration.isExact, isSeekable else { return }
        let end = Int64.max / 4
        try rewind(end)
        while try nextPacket() {
            if packetEnd != nil { continue }
            try decodePacket()
            // As long as `position` lies ahead, all that is decoded is dropped.
            while try decodeFrame() {}
            break
        }
        if !isAtEnd {
            // The last packets are decoded: only they tell what is trimmed from the end, or comes when the decoder is emptied.
            try land(max(0, (packetEnd ?? 1) - 1), before: 0, after: 0)
            while try decodeFrame() { position = max(position, decodedEnd ?? position) }
        }
        try land(0, before: 0, after: 0)
    }

    // MARK: Common

    /// Goes to the very first packet.
    private func rewind(_ target: Int64) throws(PlaybackError) {
        restart(at: target)
        // A demuxer that has been read to and fro may have lost its way; a fresh one has not.
        if try enter(at: start.first), try demuxer.read(into: packet.raw), SeekIndex.matches(start.first, packet.raw) {
            queued = [try PacketHandleBox(cloning: packet.raw)]
        } else {
            try demuxer.reopen()
        }
        // Not every decoder can forget all it knows; a new one knows nothing.
        if traits.preroll > 0 { try renewDecoder() }
        clock.jumped(to: firstPosition)
        ordinal = 0
    }

    /// Positions the demuxer near a known packet; false where that cannot be.
    private func enter(at entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        try tries { () throws(PlaybackError) in
            switch ContainerTraits.entrance(demuxer) {
            case .byte where clock.basis == .counting && entry.byte >= 0: try demuxer.seek(byte: entry.byte)
            case .none: throw PlaybackError(.notSeekable, "This container has no way in.")
            default: try demuxer.seek(timestamp: entry.timestamp)
            }
        }
    }

    /// Whether an attempt succeeds; only a cancellation gets through.
    private func tries(_ attempt: () throws(PlaybackError) -> Void) throws(PlaybackError) -> Bool {
        do throws(PlaybackError) {
            try attempt()
            return true
        } catch {
            if error.code == .cancelled { throw error }
            return false
        }
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
