import CFFmpeg
import PlaybackEngine

extension PacketTimeline {
    /// A request for a seek in a stream of packets. The landing lies in `target - before ... target + after`, in frames.
    struct Request {
        let target: Int64
        let before: Int64
        let after: Int64
        /// The length of the medium, as far as the length is known.
        let duration: MediaDuration
        /// Whether a failed call has left the demuxer at an unknown position, so that reading cannot continue from that position.
        let isLost: Bool
        /// Whether the landing may rest on an estimate if an exact one would need the transfer of many bytes.
        let allowsEstimate: Bool

        var hasTolerance: Bool { before > 0 || after > 0 }
    }
    /// The result of a seek in a stream of packets: how reading continues.
    enum Landing {
        /// The current packet is to be decoded next. `position` is the position of the first frame to deliver after the seek, in frames.
        case packet(position: Int64)
        /// The target of the seek is after the last packet.
        case end
    }

    private var preroll: Int64 { start.traits.preroll }
    private var sampleRate: Int64 { Int64(start.format.sampleRate) }

    /// Seeks in the stream. Reading begins so early before the target that decoding gives the correct samples from the landing (the position that the
    /// seek reaches) on.
    ///
    /// The landing is the target, also if the seek has tolerances, because another landing would save little more than the decoding of a packet. In a
    /// remote medium without an index, the landing of a seek with tolerances is estimated if the bytes at the target have not been read. The estimate
    /// saves the transfer of the bytes before the landing.
    func seek(_ request: Request) throws(PlaybackError) -> Landing {
        noteByte()
        switch clock.basis {
        case .timestamps, .packets: return try landByTimestamp(request.target)
        case .counting:
            try indexPacket(before: request.target - preroll)
            if request.hasTolerance || request.allowsEstimate, let landing = try landByCalculation(request) { return landing }
            if request.hasTolerance, let position = try landByEstimate(request) { return .packet(position: position) }
            return try landByIndex(request.target, isLost: request.isLost)
        }
    }

    // MARK: Containers with exact timestamps

    private func landByTimestamp(_ target: Int64) throws(PlaybackError) -> Landing {
        // If the container's index is coarse or wrong, the demuxer reaches a packet after the position at which decoding must begin, or reaches the
        // end. Each further attempt to seek begins earlier, the last attempt at the start of the medium.
        var distance: Int64 = 0
        // No medium has frames after the position `PacketClock.furthest` (2⁵³ frames).
        let entry = min(target - preroll, PacketClock.furthest)
        while entry - distance > firstPosition {
            restart()
            if try seek(toTimestampAt: entry - distance), try next(countingFrom: target) {
                // The demuxer may return to the first packet, which may decode to fewer frames than it states. In this case the medium is read from
                // its start.
                if SeekIndex.matches(start.first, packet) { break }
                if let position = span.position, position <= entry {
                    knowledge.noteSearch(hasLanded: true)
                    return try skipPackets(before: entry, target)
                }
            }
            knowledge.noteSearch(hasLanded: false)
            distance = max(sampleRate, distance * 4)
        }
        try rewind()
        guard try next(countingFrom: target) else { return .end }
        return try skipPackets(before: entry, target)
    }

    // MARK: Containers that are counted

    private func landByIndex(_ target: Int64, isLost: Bool) throws(PlaybackError) -> Landing {
        let entry = target - preroll, anchor = index.last(atOrBefore: entry)
        let canContinue = !isLost && !isEstimated && !reader.isAhead
        // Reading on from the current packet is as good as a seek, unless the index has a packet that is closer to the target.
        if canContinue, let end = span.end, end <= entry, (anchor?.position ?? .min) <= end {
            resume(at: end)
        } else if let anchor, anchor.position > firstPosition, try land(on: anchor) {
            return try skipPackets(before: entry, target)
        } else {
            try rewind()
        }
        guard try next(countingFrom: target) else { return .end }
        return try skipPackets(before: entry, target)
    }

    /// Begins reading at the estimated position of the target in a remote medium, and returns that position. Returns nil if an estimated position
    /// would save no transfer, or if the position is not within the tolerances of the seek.
    private func landByEstimate(_ request: Request) throws(PlaybackError) -> Int64? {
        let target = request.target, source = demuxer.io.source
        guard source.isRemote, target - (index.last(atOrBefore: target)?.position ?? 0) > 10 * sampleRate else { return nil }
        guard let length = source.length, let seconds = request.duration.seconds, seconds > 0 else { return nil }
        restart()
        var position = target
        switch demuxer.traits.entrance {
        // Seeks in these containers are calculated (`landByCalculation`).
        case .byte where demuxer.traits.isFrameStream: return nil
        case .byte:
            // A position that is estimated by the share of the medium's bytes is as exact as the duration: within one or two seconds in real files.
            guard request.before >= 2 * sampleRate || request.after >= 2 * sampleRate else { return nil }
            let share = Double(target) / (seconds * Double(sampleRate))
            guard share < 1 else { return nil }
            let byte = start.first.byte + Int64(share * Double(length - start.first.byte))
            guard try succeeds({ () throws(PlaybackError) in try demuxer.seek(byte: byte) }), try reader.advance() else { return nil }
            // If the packet at the estimated position does not have the size of the first packet, the bit rate varies, and the share of bytes does
            // not give the time.
            guard abs(packet.pointee.size - start.packetSize) <= 1 else { return nil }
        case .timestamp:
            let timestamp = start.first.timestamp &+ clock.timestamp(at: target)
            guard try succeeds({ () throws(PlaybackError) in try demuxer.seek(timestamp: timestamp) }), try reader.advance(),
                packet.pointee.pts != CFFmpeg_noTimestamp(), let raw = clock.raw(packet.pointee.pts &- start.first.timestamp)
            else { return nil }
            position = raw - clock.origin
            guard position >= target - request.before, position <= target + request.after else { return nil }
        case .none: return nil
        }
        estimate(position)
        return max(0, position)
    }

    // MARK: Packets

    /// Reads the next packet after a seek; returns false at the end of the stream. `target` is the position of the seek's target. Lost packets before
    /// the target do not count in `lostPackets`.
    private func next(countingFrom target: Int64) throws(PlaybackError) -> Bool { try advance(decodedEnd: nil, countingFrom: target) }

    /// Skips packets that end at or before the position `entry`, beginning with the current packet. Returns the landing at `target`, or the end of
    /// the stream.
    func skipPackets(before entry: Int64, _ target: Int64) throws(PlaybackError) -> Landing {
        var pacing = WalkPacing()
        while let end = span.end, end <= entry {
            try demuxer.io.check()
            noteAudio(upTo: end)
            demuxer.io.seekProgress?.pass(end, of: entry)
            if pacing.isDue() {
                let walk = try walk(before: entry)
                pacing.note(hasMoved: walk == .moved)
                if walk == .moved { continue }
                if walk == .lost {
                    pacing.stop()
                    try rewind()
                }
            }
            guard try next(countingFrom: target) else { return .end }
        }
        return .packet(position: target)
    }

    /// Seeks the demuxer to a packet in the index or close to it; returns false if this is not possible.
    func enter(at entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        try succeeds { () throws(PlaybackError) in
            switch demuxer.traits.entrance {
            case .byte where clock.basis == .counting && entry.byte >= 0: try demuxer.seek(byte: entry.byte)
            case .none: throw PlaybackError(.notSeekable, "This container cannot be entered in the middle.")
            default: try demuxer.seek(timestamp: entry.timestamp)
            }
        }
    }

    /// Seeks the demuxer to the last timestamp at or before `position`; returns false if this is not possible.
    private func seek(toTimestampAt position: Int64) throws(PlaybackError) -> Bool {
        try succeeds { () throws(PlaybackError) in
            // In a remote medium, each step of FFmpeg's own search is a request, so a known or found byte offset is preferred.
            if let byte = byte(at: position) { return try demuxer.seek(byte: byte) }
            try demuxer.seek(timestamp: clock.timestamp(at: position))
        }
    }

    /// Reads packets up to the packet that the index entry `entry` describes; returns false if it is not among the next 4096 packets.
    func find(_ entry: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        for _ in 0..<4096 {
            guard try reader.advance() else { return false }
            if SeekIndex.matches(entry, packet) { return true }
            if entry.byte >= 0, packet.pointee.pos > entry.byte { return false }
        }
        return false
    }

    /// Returns whether the operation `attempt` succeeds. Of the errors of `attempt`, only those are thrown again that end the whole call.
    private func succeeds(_ attempt: () throws(PlaybackError) -> Void) throws(PlaybackError) -> Bool {
        do throws(PlaybackError) {
            try attempt()
            return true
        } catch {
            if error.code == .cancelled || error.isExhaustion { throw error }
            return false
        }
    }
}
