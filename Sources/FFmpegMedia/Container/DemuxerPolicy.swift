import CFFmpeg

/// Which of FFmpeg's demuxers may look at a medium. All but those that open other things (playlists, sessions, image sequences), draw text,
/// or run on no bytes at all.
///
/// The other locks on the same door: every medium is read through our own `ByteSource`, `io_open` is refused, and the protocol whitelist is empty.
enum DemuxerPolicy {
    private static let refused: Set<String> = [
        "applehttp", "avisynth", "concat", "dash", "hls", "imf", "lavfi", "rtp", "rtsp", "sap", "sdp", "tty", "vapoursynth", "webm_dash_manifest",
        "image2", "image2pipe", "brender_pix_pipe",
    ]
    /// The least score of FFmpeg's probe that is believed. Below it are guesses from one stray header in noise.
    static let minimumScore: Int32 = 5

    /// Whether `format` may be used.
    static func allows(_ format: UnsafePointer<AVInputFormat>) -> Bool {
        guard format.pointee.flags & (AVFMT_NOFILE | AVFMT_NEEDNUMBER) == 0, let name = format.pointee.name else { return false }
        return String(cString: name).split(separator: ",").allSatisfy { !refused.contains(String($0)) }
    }
}
