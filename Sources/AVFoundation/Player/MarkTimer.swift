import Platform
import PlaybackEngine

/// The timer of a player for its next mark. A mark is a host time at which the heard position reaches an event: the time of a time observer, the end
/// of an item, or the end of the rendered audio if the engine may render no more in time.
@MainActor final class MarkTimer {
    private let environment: PlaybackEnvironment
    private var action: (any ScheduledAction)?
    private var isProcessing = false

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Calls the function `body` at the host time `mark`, but not earlier than 0.5 ms from now. `mark` may already be past, because the device can be
    /// slightly later than its forecast.
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

    /// Calls the function `body`. Does nothing if `process` is called from within `body`.
    func process(_ body: () -> Void) {
        guard !isProcessing else { return }
        isProcessing = true
        body()
        isProcessing = false
    }
}
