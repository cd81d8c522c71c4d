import CFFmpeg

/// FFmpeg's settings for the whole process: no log, because errors reach people through `PlaybackError`, and a limit on memory. Any thread.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Applies the settings. Call before any other function of FFmpeg. Idempotent.
    static func prepare() { once }

    /// The largest single allocation of FFmpeg, in bytes, because some headers ask for any size. Only the index of a long recording is larger.
    private static let usualLimit = 64 << 20

    /// Lets FFmpeg allocate an index of `entries` entries in one piece. The limit is never below the usual one.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieTables.entryLimit)) * 24 + (1 << 20))) }
}
