public import Foundation
public import PlaybackEngine

/// What the program's sound is, and whether it may sound now. One for the process; usable without configuring anything (R-SES-07).
///
/// Main actor (Apple's may be used from any thread). On Linux there is no silent switch, and other programs are interrupted by the sound server's policy
/// alone. What happens to this program's sound comes from `SystemEvents`, or is fed in as an `AudioSessionEvent`.
@preconcurrency @MainActor public final class AVAudioSession: KeyValueObserving {
    private static let shared = AVAudioSession()
    public static func sharedInstance() -> AVAudioSession { shared }

    let hub = StateHub(of: AVAudioSession.self)
    var settings = SessionSettings()
    var active = false
    var interrupted = false
    var policy = AudioPolicy()
    /// What the machine is like, as far as it was told.
    var facts = Facts()
    /// What was asked for.
    private var wishes = Wishes()
    private var source: (any SystemEvents)?
    /// The players whose sound this is.
    private var players: [WeakPlayer] = []
    /// Where route changes are posted (R-ROUTE-02).
    let routeQueue = DispatchQueue(label: "AVAudioSession.route")

    private struct WeakPlayer { weak var player: AVPlayer? }
    struct Facts: Hashable {
        var route = AVAudioSessionRouteDescription()
        var volume: Float = 1
        var isOtherAudioPlaying = false
        var isPrimaryAudioPlaying = false
        var isCallActive = false
        var isLocked = false
        var isServiceLost = false
        var sampleRate = 0.0
        var bufferDuration = 0.0
    }
    private struct Wishes: Hashable {
        var sampleRate = 0.0
        var bufferDuration = 0.0
        var interruptsOnRouteDisconnect = true
        var isSilencedByLock = false
    }

    /// A session that is not the shared one, for an environment of its own.
    package init() {}

    // MARK: What it is

    public var category: Category {
        hub.access(.category)
        return settings.category
    }
    public var mode: Mode {
        hub.access(.mode)
        return settings.mode
    }
    public var categoryOptions: CategoryOptions {
        hub.access(.category)
        return settings.options
    }
    public var routeSharingPolicy: RouteSharingPolicy {
        hub.access(.category)
        return settings.policy
    }
    /// Whether the program has the sound output. Not in Apple's vocabulary.
    public var isActive: Bool {
        hub.access(.isActive)
        return active
    }
    /// Between an interruption's beginning and its end, or until the session is activated again (there may never be an end, R-INT-03).
    /// Not in Apple's vocabulary.
    public var isInterrupted: Bool {
        hub.access(.isInterrupted)
        return interrupted
    }
    /// What a program that only plays has use for.
    public var availableCategories: [Category] { [.ambient, .soloAmbient, .playback] }
    public var availableModes: [Mode] { [.default, .measurement, .moviePlayback, .spokenAudio, .voicePrompt] }

    // MARK: Setting it

    /// Sets the category, with the default mode and no options: options belong to one call (R-SES-09). While active it takes effect at once (R-SES-08).
    public func setCategory(_ category: Category) throws { try setCategory(category, mode: .default, policy: .default, options: []) }
    public func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, policy: .default, options: options)
    }
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }
    /// Throws `badParam` where they do not go together (R-SES-10, R-SES-15, R-SES-16); nothing changes then.
    public func setCategory(_ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []) throws {
        demandMainQueue()
        let new = SessionSettings(category: category, mode: mode, options: options, policy: policy)
        try new.check()
        apply(new)
    }

    /// Sets the mode alone; throws `badParam` where the category does not allow it (R-SES-10).
    public func setMode(_ mode: Mode) throws {
        demandMainQueue()
        guard mode.categories?.contains(settings.category) == true else { throw ErrorCode.badParam }
        var new = settings
        new.mode = mode
        apply(new)
    }

    func apply(_ new: SessionSettings) {
        guard new != settings else { return }
        let changesCategory = new.category != settings.category
        MainTurn.perform {
            hub.change([.category, .mode]) { settings = new }
            updatePlayers()
            if active, changesCategory { postRouteChange(.categoryChange, previous: facts.route) }
        }
    }

    /// Takes the sound output, or leaves it. Playing does the first by itself (R-SES-21).
    ///
    /// Activating throws `insufficientPriority` where a call has the device and the category records, and `mediaServicesFailed` while there is no audio
    /// service (R-SES-20). Deactivating while something plays stops it, deactivates, and throws `isBusy` all the same (R-SES-22).
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        demandMainQueue()
        if active {
            guard options.isEmpty else { throw ErrorCode.badParam }
            if let refusal { throw refusal }
            return change(isActive: true, isInterrupted: false)
        }
        let playing = livePlayers.filter { $0.rate != 0 }
        MainTurn.perform {
            change(isActive: false, isInterrupted: interrupted)
            for player in playing { player.pause() }
        }
        if !playing.isEmpty { throw ErrorCode.isBusy }
    }

    /// Why it may not be activated now.
    private var refusal: ErrorCode? {
        if facts.isServiceLost { return .mediaServicesFailed }
        // R-SES-20: beside a call one may play, not record.
        return facts.isCallActive && settings.traits.direction != .output ? .insufficientPriority : nil
    }

    func change(isActive: Bool, isInterrupted: Bool) {
        var keys: [StateKey] = []
        if isActive != active { keys.append(.isActive) }
        if isInterrupted != interrupted { keys.append(.isInterrupted) }
        guard !keys.isEmpty else { return }
        MainTurn.perform {
            hub.change(keys) { (active, interrupted) = (isActive, isInterrupted) }
            updatePlayers()
        }
    }

    // MARK: What is wished for

    /// Whether losing what is worn on the head is an interruption (R-ROUTE-04), as by default, or a mere pause.
    public var prefersInterruptionOnRouteDisconnect: Bool {
        hub.access(.preferences)
        return wishes.interruptsOnRouteDisconnect
    }
    public func setPrefersInterruptionOnRouteDisconnect(_ value: Bool) throws { wish { $0.interruptsOnRouteDisconnect = value } }

    /// Frames a second that were asked for; 0 asks for none. `sampleRate` is what there is (R-HW-02).
    public var preferredSampleRate: Double {
        hub.access(.preferences)
        return wishes.sampleRate
    }
    /// Throws `badParam` where no device has such a rate. A request: media are played in their own rate here, as far as the device has it.
    public func setPreferredSampleRate(_ rate: Double) throws {
        guard rate == 0 || (4_000...384_000).contains(rate) else { throw ErrorCode.badParam }
        wish { $0.sampleRate = rate }
    }
    /// Seconds that were asked for; 0 asks for none. `ioBufferDuration` is what there is (R-HW-02).
    public var preferredIOBufferDuration: TimeInterval {
        hub.access(.preferences)
        return wishes.bufferDuration
    }
    /// Throws `badParam` where it is no duration of a buffer. A request: the engine fills the device's buffer as far as that is long.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard (0...60).contains(duration) else { throw ErrorCode.badParam }
        wish { $0.bufferDuration = duration }
    }
    /// Whether the lock of the screen silences the categories that it silences on Apple's devices; off at first: a server has no screen to lock
    /// (R-LNX-22, R-LNX-35). Not in Apple's vocabulary.
    public var isSilencedByScreenLock: Bool {
        get {
            hub.access(.preferences)
            return wishes.isSilencedByLock
        }
        set {
            wish { $0.isSilencedByLock = newValue }
            updatePlayers()
        }
    }

    private func wish(_ call: StaticString = #function, _ change: (inout Wishes) -> Void) {
        demandMainQueue(call)
        var new = wishes
        change(&new)
        if new != wishes { hub.change([.preferences]) { wishes = new } }
    }

    // MARK: Players

    var livePlayers: [AVPlayer] { players.compactMap(\.player) }

    func add(_ player: AVPlayer) {
        players.removeAll { $0.player == nil }
        players.append(WeakPlayer(player: player))
        player.follow(role: settings.role(isActive: active), isSilenced: silencesOutput)
    }

    /// A player begins to sound (R-SES-21). False where the session may not be active.
    func playbackDidBegin() -> Bool {
        if active { return true }
        guard refusal == nil else { return false }
        change(isActive: true, isInterrupted: false)
        return true
    }

    /// Nothing is heard: the category only records (R-SES-04), or the lock of the screen silences it and is to (R-SES-01, R-SES-02).
    private var silencesOutput: Bool {
        settings.traits.direction == .input || (facts.isLocked && wishes.isSilencedByLock && settings.traits.isSilencedByLock)
    }

    func updatePlayers() {
        let (role, silences) = (settings.role(isActive: active), silencesOutput)
        for player in livePlayers { player.follow(role: role, isSilenced: silences) }
    }

    // MARK: The machine

    /// Lets a source tell what happens to the program's sound, in place of any former one. Not in Apple's vocabulary.
    ///
    /// - Parameters:
    ///   - new: the source, which is started; nil: nothing is told any more.
    ///   - scheduler: where the main actor's work runs.
    public func listen(to new: (any SystemEvents)?, on scheduler: any MainScheduler = DispatchMainScheduler()) {
        demandMainQueue()
        source?.stop()
        source = new
        new?.start { [weak self] signal in scheduler.async { [weak self] in self?.receive(signal) } }
    }

    func receive(_ signal: SystemSignal) {
        MainTurn.perform {
            for event in policy.events(for: signal, settings) { handle(event) }
        }
    }
}
