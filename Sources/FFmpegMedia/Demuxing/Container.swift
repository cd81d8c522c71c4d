/// The containers that are read in a special way. The raw value is the first short name of FFmpeg's demuxer.
///
/// Only this file and the lists of `DemuxerPolicy` contain the names of demuxers.
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
    /// Any other container.
    case other = ""

    /// Makes the container of FFmpeg's demuxer called `name`.
    init(demuxer name: String) { self = Container(rawValue: name) ?? .other }
}
