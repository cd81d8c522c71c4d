/// The containers that Tonearm treats specially, by FFmpeg's first short name. Only here and in `DemuxerPolicy` are such names.
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
    case other = ""

    init(demuxer name: String) { self = Container(rawValue: name) ?? .other }
}
