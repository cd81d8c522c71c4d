import CFFmpeg

/// FFmpeg's settings for the whole process: it writes no log, because errors are reported as `PlaybackError`, and its memory is limited. Any thread
/// may use `FFmpegLibrary`.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Applies these settings. Must be called before any other function of FFmpeg; further calls have no effect.
    static func prepare() { once }

    /// The usual limit for a single allocation of memory by FFmpeg, in bytes. A limit is needed because a header can ask for any size. Only the index
    /// of a long recording needs a larger allocation (`permit`).
    private static let usualLimit = 64 << 20

    /// Sets the limit for a single allocation so that an index of `entries` entries fits. The limit is never below the usual one.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieTables.entryLimit)) * 24 + (1 << 20))) }
}
