import CPulse
import Platform

/// A connection to a sound server that plays nothing, and reports the loss of the server. The connection needs one thread, which sleeps. An instance
/// may be released on any thread except libpulse's, which calls `onLoss`.
public final class PulsePresence: Sendable {
    private let mainloop: PulseMainloop

    /// Connects to a sound server; nil if no server answers. Does not start a server. Blocks for at most `timeout` seconds.
    ///
    /// - Parameters:
    ///   - server: the server string, as in `PulseOutputProvider.server`.
    ///   - timeout: the maximum duration of the attempt, in seconds, at most 60.
    ///   - onLoss: the callback for the loss of the connection, called once, on libpulse's thread. It must forward the event without blocking.
    public init?(server: String? = nil, timeout: Double, onLoss: @escaping @Sendable () -> Void) {
        guard let mainloop = try? PulseMainloop(applicationName: "Tonearm") else { return nil }
        do {
            try mainloop.connect(to: server, until: MonotonicClock().now + min(max(0, timeout), 60))
        } catch {
            mainloop.close()
            return nil
        }
        self.mainloop = mainloop
        let isLost = mainloop.withLock {
            mainloop.observeFailure { _ in onLoss() }
            return !pa_context_get_state(mainloop.context).isGood
        }
        if isLost { onLoss() }
    }

    deinit { mainloop.close() }
}
