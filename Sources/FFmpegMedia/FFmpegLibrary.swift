import CFFmpeg

/// FFmpeg's settings for the whole process: FFmpeg writes no log, because errors are reported as `PlaybackError`, and its memory is limited. Any
/// thread may use `FFmpegLibrary`.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Applies FFmpeg's settings for the whole process. `prepare` must be called before any function of FFmpeg. `FFmpegLibrary.prepare` is
    /// idempotent.
    static func prepare() { once }

    /// The usual limit for a single allocation of memory by FFmpeg, in bytes, because some headers of media ask for any size. Only the index of a
    /// long recording needs an allocation above the usual limit.
    private static let usualLimit = 64 << 20

    /// Sets FFmpeg's limit for a single allocation of memory so that an index of `entries` entries fits. FFmpeg's limit for a single allocation is
    /// never below the usual limit.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieTables.entryLimit)) * 24 + (1 << 20))) }
}
