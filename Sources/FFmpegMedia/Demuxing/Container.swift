/// The containers for which Tonearm has a treatment of its own. The raw value is the first short name of FFmpeg's demuxer.
///
/// Only `Container` and the lists of `DemuxerPolicy` contain the names of FFmpeg's demuxers.
enum Container: String {
    case ac3, aiff, ape, asf, au, flac, flv, matroska, mlp, ogg, tak, voc, w64
    case adts = "aac"
    case coreAudio = "caf"
    case dts
    case dtsHD = "dtshd"
    case enhancedAC3 = "eac3"
    case gsm
    case latm
    case loas
    case mp4 = "mov"
    case mpegAudio = "mp3"
    case mpegProgram = "mpeg"
    case mpegTransport = "mpegts"
    case trueAudio = "tta"
    case trueHD = "truehd"
    case wave = "wav"
    case wavPack = "wv"
    /// Any container without a treatment of its own.
    case other = ""

    /// Makes the `Container` whose FFmpeg demuxer is called `name`.
    init(demuxer name: String) { self = Container(rawValue: name) ?? .other }
}
