import CFFmpeg

/// What FFmpeg is told once for the whole process: its log goes nowhere, because errors reach people through `PlaybackError`, and its memory has a limit.
/// Any thread.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usual)
    }()
    /// Before anything else of FFmpeg. Idempotent.
    static func prepare() { once }

    /// The largest piece of memory that FFmpeg may ask for, bytes: some headers ask for any. Only the index of a long recording is larger.
    private static let usual = 64 << 20

    /// Lets FFmpeg make an index of so many entries in one piece, and none larger than that or the usual limit.
    static func permit(entries: Int64) { av_max_alloc(max(usual, Int(min(entries, MovieTables.most)) * 24 + (1 << 20))) }
}
