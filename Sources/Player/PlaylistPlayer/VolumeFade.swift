import Platform

/// A ramp of the audible volume in steps so small that none is heard: 10 ms, or 1/500 of a fade of more than 5 s. The ramp changes the volume of the
/// output's stream and not the samples, because audio is rendered seconds ahead.
@MainActor final class VolumeFade {
    /// The shortest step, in seconds.
    static let shortestStep = 0.010
    /// The number of steps of a fade of more than 5 s.
    static let stepCount = 500.0

    private(set) var state: PlayerState.Fade?

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?
    private var setLevel: (@MainActor (Double) -> Void)?
    private var completion: (@MainActor () -> Void)?

    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    var level: Double? { state?.level(at: clock.now.seconds) }

    /// Begins a fade in place of the fade in progress. A fade without a `hostTime` waits for the call of `start`. `completion` is called after the
    /// last step, unless the fade was cancelled or replaced.
    func begin(_ fade: PlayerState.Fade, setLevel: @escaping @MainActor (Double) -> Void, completion: @escaping @MainActor () -> Void) {
        cancel()
        state = fade
        self.setLevel = setLevel
        self.completion = completion
        setLevel(fade.level(at: clock.now.seconds))
        if fade.hostTime != nil { scheduleStep() }
    }

    /// Starts a fade that waits; returns false if no fade waits.
    func start() -> Bool {
        guard state != nil, state?.hostTime == nil else { return false }
        state?.hostTime = clock.now.seconds
        scheduleStep()
        return true
    }

    /// Multiplies the rest of a fade to silence by a factor.
    func lower(by factor: Double) { state?.from *= factor }

    /// Ends the fade at its present volume.
    func cancel() {
        action?.cancel()
        (state, action, setLevel, completion) = (nil, nil, nil, nil)
    }

    private func scheduleStep() {
        guard let state, let start = state.hostTime else { return }
        let step = max(Self.shortestStep, state.seconds / Self.stepCount)
        let now = clock.now
        action = scheduler.schedule(at: now + max(0, min(step, start + state.seconds - now.seconds))) { [weak self] in self?.takeStep() }
    }

    private func takeStep() {
        guard let state, let start = state.hostTime else { return }
        let now = clock.now.seconds
        // The sum may be rounded by less than half a nanosecond.
        guard now < start + state.seconds - 5e-10 else {
            let (setLevel, completion) = (setLevel, completion)
            cancel()
            setLevel?(state.to)
            completion?()
            return
        }
        setLevel?(state.level(at: now))
        scheduleStep()
    }
}
