import CPulse
import PlaybackEngine

/// A connection to a sound server that plays nothing, and tells when the server goes. Costs a sleeping thread; let go of on any thread but libpulse's,
/// which calls `onLoss`.
public final class PulsePresence: Sendable {
    private let mainloop: PulseMainloop

    /// Connects; nil where no server answers. Starts none; blocks at most `timeout` seconds.
    ///
    /// - Parameters:
    ///   - server: as in `PulseOutputProvider.server`.
    ///   - timeout: seconds.
    ///   - onLoss: called once, on libpulse's thread, when the connection is lost: it must hand that on without blocking.
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
            mainloop.onFailure = { _ in onLoss() }
            return !pa_context_get_state(mainloop.context).isGood
        }
        if isLost { onLoss() }
    }

    deinit { mainloop.close() }
}
