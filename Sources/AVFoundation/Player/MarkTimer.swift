import Platform
import PlaybackEngine

/// For the next mark: the host time at which the heard position reaches a time observer, the end of an item, or that of the rendered audio.
@MainActor final class MarkTimer {
    private let environment: PlaybackEnvironment
    private var action: (any ScheduledAction)?
    private var isProcessing = false

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Not earlier than 0.5 ms from now; a past mark is possible, because the device can be slightly later than its forecast.
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

    /// Not from within `body`.
    func process(_ body: () -> Void) {
        guard !isProcessing else { return }
        isProcessing = true
        body()
        isProcessing = false
    }
}
