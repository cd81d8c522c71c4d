extension LengthCheck {
    /// Checks the length `claim`, in frames, that a WavPack header states, against the position that the last WavPack block states. `size` is the
    /// size of the WavPack file, in bytes.
    static func wavPack(_ claim: Int64, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        // A WavPack block holds up to half a second of audio, and at most 1 MiB. So the search for the last block covers first the last 128 KiB, and
        // then more bytes than the largest block has.
        for window in [131_072, WavPackBlock.largest + 65_536] as [Int64] {
            let start = max(0, size - window)
            let bytes = packets.demuxer.io.peek(start..<size)
            let end = bytes.withUnsafeBufferPointer { bytes -> Int64? in
                var at = bytes.count - WavPackBlock.headerSize
                while at >= 0 {
                    if bytes[at] == UInt8(ascii: "w"), let block = WavPackBlock(UnsafeBufferPointer(rebasing: bytes[at...])), block.samples > 0 {
                        return start + Int64(at) + block.size <= size ? block.index + block.samples : block.index
                    }
                    at -= 1
                }
                return nil
            }
            guard let end else { continue }
            guard let position = packets.clock.raw(end) else { return .doubtful }
            return position - packets.clock.origin == claim ? .confirmed : .about(max(0, position - packets.clock.origin))
        }
        return .doubtful
    }
}
