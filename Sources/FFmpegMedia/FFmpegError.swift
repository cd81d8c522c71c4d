import CFFmpeg
import Glibc
import PlaybackEngine

/// Converts FFmpeg's error codes to errors with messages for users. It is the only code that does so.
enum FFmpegError {
    static let endOfFile = CFFmpeg_errorEndOfFile()
    static let invalidData = CFFmpeg_errorInvalidData()
    static let exit = CFFmpeg_errorExit()
    static let tryAgain = CFFmpeg_errorTryAgain()

    /// The operation in which FFmpeg failed, such as opening or reading.
    enum Task {
        case opening, reading, decoding, seeking, converting
    }

    /// Returns the error for FFmpeg's error code `code`, which FFmpeg returned during `task`.
    static func error(_ code: Int32, while task: Task) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "FFmpeg", code: Int(code), message: message(code))
        if code == exit { return PlaybackError(.cancelled, "The operation was cancelled.", underlying: underlying) }
        if code == -ENOMEM { return PlaybackError(.outOfMemory, "There is not enough memory for this medium.", underlying: underlying) }
        if code == -EACCES || code == -EPERM {
            return PlaybackError(.addressNotAllowed, "The medium refers to a file or an address that may not be opened.", underlying: underlying)
        }
        if lacksFeature(code, while: task) {
            return PlaybackError(.unsupportedFormat, "There is no decoder for this kind of medium.", underlying: underlying)
        }
        if code == -ETIMEDOUT {
            return PlaybackError(.network, "The server did not respond in time.", reason: .noAnswer, underlying: underlying)
        }
        switch task {
        case .opening: return PlaybackError(.corruptMedia, "The medium is damaged and cannot be opened.", underlying: underlying)
        case .reading: return PlaybackError(.corruptMedia, "The rest of the medium could not be read.", underlying: underlying)
        case .decoding: return PlaybackError(.corruptMedia, "The audio could not be decoded.", underlying: underlying)
        case .seeking: return PlaybackError(.notSeekable, "The seek in the medium failed.", underlying: underlying)
        case .converting:
            return PlaybackError(.unsupportedFormat, "The audio could not be converted to the requested format.", underlying: underlying)
        }
    }

    /// Whether FFmpeg has no code for the medium. Its decoder of AAC reports an audio object type that it does not know as a missing function.
    static func lacksFeature(_ code: Int32, while task: Task) -> Bool {
        if code == -ENOSYS { return task == .opening || task == .decoding }
        return [CFFmpeg_errorDecoderNotFound(), CFFmpeg_errorDemuxerNotFound(), CFFmpeg_errorPatchWelcome()].contains(code)
    }

    /// Returns FFmpeg's own message for an error code.
    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress, av_strerror(code, start, buffer.count) >= 0 else { return "error \(code)" }
            return String(cString: start)
        }
    }
}

extension PlaybackError {
    static var tooManyEntries: PlaybackError {
        PlaybackError(.outOfMemory, "There is not enough memory for this medium's index in addition to those of the other open media.")
    }
    static var tooManySamples: PlaybackError { PlaybackError(.corruptMedia, "The medium's tables list more samples than the medium can contain.") }
    static var tooManyFragments: PlaybackError { PlaybackError(.corruptMedia, "The medium has too many fragments.") }
    static var tooManyChapters: PlaybackError { PlaybackError(.corruptMedia, "The medium has too many chapters.") }
    static var noDecoder: PlaybackError { PlaybackError(.unsupportedFormat, "There is no decoder for the audio of this medium.") }
    static var notMedia: PlaybackError { PlaybackError(.unsupportedFormat, "The medium has no known format.") }
}

/// FFmpeg's settings for the process: no log, because errors are `PlaybackError`, and limited memory. May be used on any thread.
enum FFmpegLibrary {
    private static let once: Void = {
        av_log_set_level(AV_LOG_QUIET)
        av_max_alloc(usualLimit)
    }()
    /// Applies these settings to FFmpeg; further calls have no effect. Must be called before any other function of FFmpeg.
    static func prepare() { once }

    /// The limit of one allocation, in bytes: a header can ask for any size. Only the index of a long recording needs more (`permit`).
    private static let usualLimit = 64 << 20

    /// Sets the limit of one allocation so that FFmpeg can allocate an index with `entries` entries. The limit is never less than `usualLimit`.
    static func permit(entries: Int64) { av_max_alloc(max(usualLimit, Int(min(entries, MovieScreen.entryLimit)) * 24 + (1 << 20))) }
}
