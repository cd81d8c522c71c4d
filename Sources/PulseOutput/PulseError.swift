import CPulse
import PlaybackEngine

extension PlaybackError {
    /// `code` is a `pa_error_code_t`; `message` names the operation for users.
    static func pulse(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = pa_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "PulseAudio", code: Int(code), message: detail))
    }

    /// No reply before the deadline of a command.
    static func pulseTimeout(_ message: String) -> PlaybackError {
        .pulse(Int32(PA_ERR_TIMEOUT.rawValue), message)
    }
}
