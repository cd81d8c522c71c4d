import CPulse
import PlaybackEngine

extension PlaybackError {
    /// Converts an error code of libpulse to a `PlaybackError`.
    ///
    /// - Parameters:
    ///   - code: an error code of libpulse (`pa_error_code_t`), for example from `pa_context_errno`.
    ///   - message: the message of the error for users: the operation that failed.
    static func pulse(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = pa_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "PulseAudio", code: Int(code), message: detail))
    }

    /// Returns the error for a PulseAudio server that does not reply before the deadline of a command.
    static func pulseTimeout(_ message: String) -> PlaybackError {
        .pulse(Int32(PA_ERR_TIMEOUT.rawValue), message)
    }
}
