import CPulse
import PlaybackEngine

extension PlaybackError {
    /// The one funnel from libpulse's codes to errors.
    ///
    /// - Parameters:
    ///   - code: a `pa_error_code_t`, as `pa_context_errno` returns it.
    ///   - message: what a person wanted and did not get.
    static func pulse(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = pa_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "PulseAudio", code: Int(code), message: detail))
    }

    /// The server did not answer in time.
    static func pulseTimeout(_ message: String) -> PlaybackError {
        .pulse(Int32(PA_ERR_TIMEOUT.rawValue), message)
    }
}
