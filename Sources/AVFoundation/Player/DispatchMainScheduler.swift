import Dispatch
public import Platform

/// On the main queue, which the program must run (`dispatchMain`, an asynchronous main, or a run loop; R-KVO-09).
public struct DispatchMainScheduler: MainScheduler {
    public init() {}

    public func async(_ work: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { work() } }
    }

    @MainActor public func schedule(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) -> any ScheduledAction {
        DispatchAction(at: time, work)
    }
}

/// One-shot, with a leeway of half a millisecond, because timers are for the host times at which frames are heard.
@MainActor private final class DispatchAction: ScheduledAction {
    private var timer: (any DispatchSourceTimer)?

    init(at time: HostTime, _ work: @escaping @MainActor @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer = timer
        let now = MonotonicClock().now
        let delay = Int((max(0, min(time - now, 1e9)) * 1e9).rounded())
        timer.schedule(deadline: .now() + .nanoseconds(delay), leeway: .microseconds(500))
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.timer != nil else { return }
                self.cancel()
                work()
            }
        }
        timer.resume()
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    isolated deinit { timer?.cancel() }
}
