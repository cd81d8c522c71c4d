import CFFmpeg

/// FFmpeg's settings for the whole process: no log, because errors are reported as `PlaybackError`, and a limit on memory. Any thread may use them.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Applies the settings. Must be called before any other function of FFmpeg. Idempotent.
    static func prepare() { once }

    /// The usual limit for a single allocation of FFmpeg, in bytes, because some headers ask for any size. Only the index of a long recording is
    /// larger.
    private static let usualLimit = 64 << 20

    /// Sets the limit for a single allocation of FFmpeg so that an index of `entries` entries fits. The limit is never below the usual one.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieTables.entryLimit)) * 24 + (1 << 20))) }
}
