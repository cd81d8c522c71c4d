import CFFmpeg

/// What is known of containers.
enum ContainerTraits {
    /// Containers whose timestamps come from counts of samples, in the file itself: they can be trusted anywhere.
    private static let exact: Set<String> = ["aiff", "ape", "au", "caf", "flac", "mov", "ogg", "tak", "tta", "w64", "wav", "wv"]

    /// Whether positions are taken from timestamps or counted.
    static func basis(_ demuxer: Demuxer, sampleRate: Int) -> PacketClock.Basis {
        let base = demuxer.stream.pointee.time_base
        guard exact.contains(demuxer.name), base.num > 0, base.den > 0 else { return .counting }
        // One tick must be a whole number of samples, or positions would be rounded.
        guard (Int64(sampleRate) * Int64(base.num)) % Int64(base.den) == 0 else { return .counting }
        let isPulseCode = av_get_exact_bits_per_sample(demuxer.codec) > 0
        switch demuxer.name {
        case "aiff", "au", "w64", "wav": return isPulseCode ? .timestamps : .counting
        default: return .timestamps
        }
    }

    /// Whether a byte position is a way into the medium.
    static func seeksByByte(_ demuxer: Demuxer) -> Bool {
        switch demuxer.name {
        case "matroska", "asf", "avi", "flv", "mov", "nut", "rm": false
        default: demuxer.context.pointee.iformat.pointee.flags & AVFMT_NO_BYTE_SEEK == 0
        }
    }
}
