import CPulse
import Platform

/// Queries about devices, and changes of their volumes, each with a short connection of its own.
public enum PulseQuery {
    /// Nil if no server answers; all together at most `timeout` seconds, and 60. The function that `body` gets waits for the next event, and returns
    /// false after the timeout or the loss of the connection.
    static func withContext<Result>(server: String?, timeout: Double, _ body: (OpaquePointer, () -> Bool) -> Result) -> Result? {
        guard let loop = pa_mainloop_new() else { return nil }
        defer { pa_mainloop_free(loop) }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "Tonearm") else { return nil }
        defer {
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 else { return nil }
        let clock = MonotonicClock()
        let deadline = clock.now + min(max(0, timeout), 60)
        func iterate() -> Bool {
            let left = deadline - clock.now
            guard pa_context_get_state(context).isGood, left > 0 else { return false }
            guard pa_mainloop_prepare(loop, Int32(left * 1e6)) >= 0, pa_mainloop_poll(loop) >= 0 else { return false }
            return pa_mainloop_dispatch(loop) >= 0
        }
        while pa_context_get_state(context) != PA_CONTEXT_READY {
            guard iterate() else { return nil }
        }
        return body(context, iterate)
    }
}
