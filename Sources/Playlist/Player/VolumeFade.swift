import Platform

/// The fade of the audible volume: a ramp in steps, which are small enough that no step is heard.
///
/// The steps change the volume of the output's stream, not the samples, because rendered audio is seconds ahead of the audio that is heard. A step
/// lasts 10 ms; in a fade of more than 5 s, it lasts 1/500 of the fade.
@MainActor final class VolumeFade {
    /// The minimum duration of a step of the fade, in seconds.
    static let shortestStep = 0.010
    /// The number of steps of a fade of more than 5 s.
    static let stepCount = 500.0

    /// The fade in progress; nil if there is none.
    private(set) var state: PlayerState.Fade?

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var action: (any ScheduledAction)?
    private var setLevel: (@MainActor (Double) -> Void)?
    private var completion: (@MainActor () -> Void)?

    /// Makes a `VolumeFade` without a fade in progress.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// The audible volume now, according to the fade in progress; nil if no fade is in progress.
    var level: Double? { state?.level(at: clock.now.seconds) }

    /// Begins a fade, which replaces the fade in progress.
    ///
    /// - Parameters:
    ///   - fade: The fade. A fade without a `hostTime` begins when `start` is called.
    ///   - setLevel: The function that makes a volume audible.
    ///   - completion: The function that is called after the last step, unless the fade is cancelled or replaced.
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
        // The sum of the start and the duration may be rounded by less than half a nanosecond.
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
