extension LengthCheck {
    /// Compares the length in a FLAC header with the positions in the last FLAC frames. `claim` is the length that the header states, in frames; nil
    /// if it states none. `size` is the size of the file, in bytes.
    static func flac(_ claim: Int64?, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        let origin = packets.clock.origin
        let window = max(65_536, min(1 << 20, 3 * (packets.meter.flac?.largestFrame ?? 0)))
        if let end = flacEnd(packets, max(0, size - window)..<size, claim: claim.map { $0 + origin }) {
            return end - origin == claim ? .confirmed : .about(max(0, end - origin))
        }
        guard let claim else { return .confirmed }
        // If there are no FLAC frames at the end of the file, a FLAC frame from the middle shows whether the length in the header can be true.
        let middle = size / 2
        guard let half = flacEnd(packets, middle..<min(size, middle + window), claim: nil), half > origin else { return .doubtful }
        return half - origin > claim || 4 * (half - origin) < claim ? .about(2 * (half - origin)) : .doubtful
    }

    /// Returns the end position of the last FLAC frame in a byte range of the file; nil if there is no FLAC frame. Noise sometimes looks like a
    /// frame, so a frame counts only if it adjoins another one, if it starts at position 0, or if it ends at `claim`.
    ///
    /// - Parameter claim: the end position that the header of the file states; nil if it states none.
    static func flacEnd(_ packets: PacketTimeline, _ range: Range<Int64>, claim: Int64?) -> Int64? {
        guard let info = packets.meter.flac else { return nil }
        let bytes = packets.demuxer.io.peek(range)
        return bytes.withUnsafeBufferPointer { bytes in
            let frames = FLACFrameRun.candidates(in: bytes, info).map(\.range)
            // One pass over the possible FLAC frames finds those that adjoin. So the work stays linear, even if hostile bytes have a frame header at
            // every sixth byte.
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
