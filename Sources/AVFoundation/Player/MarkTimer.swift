import Platform
import PlaybackEngine

/// The only timer of a player. It fires when the heard position reaches the next mark: a time observer's time, an end or an underrun.
@MainActor final class MarkTimer {
    private let environment: PlaybackEnvironment
    private var action: (any ScheduledAction)?
    private var isProcessing = false

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Calls `body` at a host time, or 0.5 ms from now if that is later: if the host time is in the past, its mark has just been processed, and the
    /// device's clock is slightly behind its forecast.
    func schedule(at mark: HostTime, _ body: @escaping @MainActor @Sendable () -> Void) {
        cancel()
        let earliest = environment.clock.now + 0.0005
        action = environment.scheduler.schedule(at: max(mark, earliest)) { [weak self] in
            self?.action = nil
            body()
        }
    }

    func cancel() {
        action?.cancel()
        action = nil
    }

    /// Calls `body`, unless this call is made by `body` itself.
    func process(_ body: () -> Void) {
        guard !isProcessing else { return }
        isProcessing = true
        body()
        isProcessing = false
    }
}
