import CPulse
import Platform

/// A connection that plays nothing, and only reports the loss of the server. Released on any thread but libpulse's, so not in `onLoss`.
public final class PulsePresence: Sendable {
    private let connection: PulseConnection

    /// Nil if no server answers. Never starts a server, and blocks for at most `timeout` seconds (at most 60).
    /// - Parameters:
    ///   - server: In the syntax of PULSE_SERVER; nil for the user's.
    ///   - onLoss: Called at most once, and must not block: on libpulse's thread, or possibly on the caller's before the return.
    public init?(server: String? = nil, timeout: Double, onLoss: @escaping @Sendable () -> Void) {
        guard let connection = try? PulseConnection(applicationName: "Tonearm") else { return nil }
        do {
            try connection.connect(to: server, until: MonotonicClock().now + min(max(0, timeout), 60))
        } catch {
            connection.close()
            return nil
        }
        self.connection = connection
        let isLost = connection.withLock {
            connection.observeFailure { _ in onLoss() }
            return !pa_context_get_state(connection.context).isGood
        }
        if isLost { onLoss() }
    }

    deinit { connection.close() }
}
