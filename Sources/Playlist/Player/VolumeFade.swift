import Platform

/// The fade of the audible volume: a ramp in steps, which are small enough that no step is heard.
///
/// The steps change the volume of the output's stream, not the samples, because rendered audio is seconds ahead of the audio that is heard. A step
/// is at most 1/500 of the ramp, or 10 ms.
@MainActor final class VolumeFade {
    /// The shortest duration of a step, in seconds.
    static let shortestStep = 0.010
    /// The number of steps of a long fade.
    static let stepCount = 500.0

    /// The fade in progress; nil if there is none.
    private(set) var state: PlayerState.Fade?

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?
    private var setLevel: (@MainActor (Double) -> Void)?
    private var completion: (@MainActor () -> Void)?

    /// A fader without a fade.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// The audible volume now, by the fade in progress; nil if there is none.
    var level: Double? { state?.level(at: clock.now.seconds) }

    /// Begins a fade, which replaces the one in progress.
    ///
    /// - Parameters:
    ///   - fade: The fade. If it has no `hostTime`, it begins at the call of `start`.
    ///   - setLevel: Makes a volume audible.
    ///   - completion: Is called after the last step. It is not called if the fade is cancelled or replaced.
    func begin(_ fade: PlayerState.Fade, setLevel: @escaping @MainActor (Double) -> Void, completion: @escaping @MainActor () -> Void) {
        cancel()
        state = fade
        self.setLevel = setLevel
        self.completion = completion
        setLevel(fade.level(at: clock.now.seconds))
        if fade.hostTime != nil { scheduleStep() }
    }

    /// Starts a fade that waits for the start of playback. Returns false if no fade waits.
    func start() -> Bool {
        guard state != nil, state?.hostTime == nil else { return false }
        state?.hostTime = clock.now.seconds
        scheduleStep()
        return true
    }

    /// Ends the fade without a further step.
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
        // Half a nanosecond covers the rounding of the sum of start and duration.
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
