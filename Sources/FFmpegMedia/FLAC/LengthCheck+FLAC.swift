extension LengthCheck {
    /// Compares `claim`, in frames, with the last frames of a file of `size` bytes.
    static func flac(_ claim: Int64?, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        let origin = packets.clock.origin
        let window = max(65_536, min(1 << 20, 3 * (packets.meter.flac?.largestFrame ?? 0)))
        if let end = flacEnd(packets, max(0, size - window)..<size, claim: claim.map { $0 + origin }) {
            return end - origin == claim ? .confirmed : .about(max(0, end - origin))
        }
        guard let claim else { return .confirmed }
        // Without frames at the end, one from the middle shows whether the length can be true.
        let middle = size / 2
        guard let half = flacEnd(packets, middle..<min(size, middle + window), claim: nil), half > origin else { return .doubtful }
        return half - origin > claim || 4 * (half - origin) < claim ? .about(2 * (half - origin)) : .doubtful
    }

    /// Nil without a frame. Against noise, one counts only if it adjoins another, starts at 0, or ends at `claim`.
    static func flacEnd(_ packets: PacketTimeline, _ range: Range<Int64>, claim: Int64?) -> Int64? {
        guard let info = packets.meter.flac else { return nil }
        let bytes = packets.demuxer.io.peek(range)
        return bytes.withUnsafeBufferPointer { bytes in
            let frames = FLACFrameRun.candidates(in: bytes, info).map(\.range)
            // One pass, so that it stays linear even with a header at every sixth byte.
            var ends: Set<Int64> = [], joined: Int64?
            for frame in frames {
                if ends.contains(frame.lowerBound) { joined = frame.upperBound }
                ends.insert(frame.upperBound)
            }
            if let joined { return joined }
            return frames.last.flatMap { $0.lowerBound == 0 || $0.upperBound == claim ? $0.upperBound : nil }
        }
    }
}
