import CFFmpeg

/// FFmpeg's settings for the process: no log, because errors are `PlaybackError`, and limited memory. Any thread.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Before any other function of FFmpeg. Idempotent.
    static func prepare() { once }

    /// For one allocation, in bytes: a header can ask for any size. Only the index of a long recording needs more (`permit`).
    private static let usualLimit = 64 << 20

    /// At least the usual one.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieTables.entryLimit)) * 24 + (1 << 20))) }
}
