import CFFmpeg

/// The properties of containers.
enum ContainerTraits {
    /// Containers whose timestamps are counts of samples in the file itself, so that they are exact everywhere.
    private static let exact: Set<String> = ["aiff", "ape", "au", "caf", "flac", "mov", "ogg", "tak", "tta", "w64", "wav", "wv"]

    /// Returns the source of positions: packets, timestamps or counting.
    static func basis(_ demuxer: Demuxer, _ meter: PacketMeter, sampleRate: Int) -> PacketClock.Basis {
        if meter.knowsPositions { return .packets }
        let base = demuxer.stream.pointee.time_base
        guard exact.contains(demuxer.name), base.num > 0, base.den > 0 else { return .counting }
        // One tick must be a whole number of samples, or positions would be rounded.
        guard (Int64(sampleRate) * Int64(base.num)) % Int64(base.den) == 0 else { return .counting }
        let isPulseCode = CodecTraits.isPulseCode(demuxer.codec)
        switch demuxer.name {
        case "aiff", "au", "w64", "wav": return isPulseCode ? .timestamps : .counting
        case "ogg": return demuxer.codec == AV_CODEC_ID_VORBIS || demuxer.codec == AV_CODEC_ID_OPUS ? .timestamps : .counting
        default: return .timestamps
        }
    }

    /// Whether the file itself states the packets' times, too coarse for positions but good enough to detect missing packets.
    static func statesTimes(_ demuxer: Demuxer) -> Bool { ["asf", "flv", "matroska", "mpeg", "mpegts"].contains(demuxer.name) }

    /// Returns the samples before the recording, given the decoder's number.
    static func encoderDelay(_ demuxer: Demuxer, decoder: Int) -> Int {
        guard demuxer.codec == AV_CODEC_ID_WMAV1 || demuxer.codec == AV_CODEC_ID_WMAV2 else { return decoder }
        // FFmpeg assumes two frames for every encoder of Windows Media Audio, but FFmpeg's own encoder adds only one.
        let encoder = av_dict_get(demuxer.context.pointee.metadata, "encoder", nil, 0)?.pointee.value.map { String(cString: $0) } ?? ""
        return encoder.utf8.starts(with: "Lavf".utf8) ? decoder / 2 : decoder
    }

    /// Whether FFmpeg's number of samples to drop at a packet's end is right.
    static func trimsPackets(_ demuxer: Demuxer, limit: Int64?) -> Bool {
        switch demuxer.name {
        // FFmpeg computes it from timestamps that it no longer has after a seek. The tag sets the limit instead.
        case "mp3": false
        // FFmpeg drops too many if a page holds the whole stream. The last granule position is the limit instead.
        case "ogg": limit == nil
        default: true
        }
    }

    /// The way to enter a container in the middle.
    enum Entrance {
        /// At a byte: the packets follow each other, and the demuxer keeps no record of them.
        case byte
        /// At a timestamp.
        case timestamp
        /// Not at all: the demuxer loses its way.
        case none
    }

    private static let rows: Set<String> = [
        "aac", "ac3", "dts", "dtshd", "eac3", "gsm", "latm", "loas", "mlp", "mp3", "mpeg", "mpegts", "ogg", "truehd",
    ]

    static func entrance(_ demuxer: Demuxer) -> Entrance {
        if demuxer.name == "voc" { return .none }
        return rows.contains(demuxer.name) && demuxer.context.pointee.iformat.pointee.flags & AVFMT_NO_BYTE_SEEK == 0 ? .byte : .timestamp
    }
}
