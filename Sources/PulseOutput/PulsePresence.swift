import CPulse
import Platform

/// A connection to a sound server that plays no audio, and only reports the loss of the server. Its one thread (libpulse's) sleeps until an event
/// arrives. A `PulsePresence` may be released on any thread except libpulse's, so it must not be released in the callback `onLoss`.
public final class PulsePresence: Sendable {
    private let connection: PulseConnection

    /// Connects to a sound server; nil if no server answers. The initializer never starts a sound server, and blocks for at most `timeout` seconds.
    ///
    /// - Parameters:
    ///   - server: the sound server, in the syntax of the environment variable PULSE_SERVER; nil for the user's sound server.
    ///   - timeout: the maximum duration of the attempt to connect, in seconds, at most 60.
    ///   - onLoss: the callback for the loss of the sound server, called at most once, which must not block. It is called on libpulse's thread, or,
    ///     if the server is lost before the initializer returns, possibly on the caller's thread.
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
