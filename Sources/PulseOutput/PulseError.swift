import CPulse
import PlaybackEngine

extension PlaybackError {
    /// Converts an error code of libpulse to a `PlaybackError`. `PlaybackError.pulse` converts all errors of libpulse.
    ///
    /// - Parameters:
    ///   - code: a `pa_error_code_t`, as `pa_context_errno` returns it.
    ///   - message: the operation of libpulse that failed, for users.
    static func pulse(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = pa_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "PulseAudio", code: Int(code), message: detail))
    }

    /// Returns the error for a PulseAudio server that does not reply in time.
    static func pulseTimeout(_ message: String) -> PlaybackError {
        .pulse(Int32(PA_ERR_TIMEOUT.rawValue), message)
    }
}
