public import Foundation
import PlaybackEngine

/// The purpose of the program's audio, and whether it may play now. A process has one session, which works without configuration (R-SES-07).
///
/// This class is used on the main actor, Apple's on any thread. Linux has no silent switch, and only the sound server decides whether other programs
/// are interrupted.
@preconcurrency @MainActor public final class AVAudioSession: KeyValueObserving {
    private static let shared = AVAudioSession()
    public static func sharedInstance() -> AVAudioSession { shared }

    let hub = StateHub(of: AVAudioSession.self)
    private(set) var settings = SessionSettings()
    private(set) var active = false
    private(set) var interrupted = false
    /// The route that was reported last.
    private(set) var route = AVAudioSessionRouteDescription()
    /// The rate of the device that was opened last, in frames per second.
    private(set) var hardwareRate = 0.0
    private var preferences = Preferences()
    private var players: [WeakPlayer] = []
    /// The players whose outputs interrupt the session.
    private var interrupters: Set<ObjectIdentifier> = []
    /// The queue on which route changes are posted (R-ROUTE-02).
    let routeQueue = DispatchQueue(label: "AVAudioSession.route")

    private struct WeakPlayer { weak var player: AVPlayer? }
    private struct Preferences: Hashable {
        var sampleRate = 0.0
        var bufferDuration = 0.0
        var interruptsOnRouteDisconnect = true
    }

    /// Makes a session for the players of a separate `PlaybackEnvironment`.
    package init() {}

    // MARK: Category, mode and state

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
    /// Whether the program may use the output. Not in Apple's API.
    public var isActive: Bool {
        hub.access(.isActive)
        return active
    }
    /// Whether the session is interrupted. Activating the session ends the interruption too, because its end may never be reported (R-INT-03). Not in
    /// Apple's API.
    public var isInterrupted: Bool {
        hub.access(.isInterrupted)
        return interrupted
    }
    /// The categories of a program that only plays.
    public var availableCategories: [Category] { [.ambient, .soloAmbient, .playback] }
    public var availableModes: [Mode] { [.default, .measurement, .moviePlayback, .spokenAudio, .voicePrompt] }

    // MARK: Configuration

    /// Sets the category with the default mode and without options, not those of an earlier call (R-SES-09). Takes effect at once if the session is
    /// active (R-SES-08).
    public func setCategory(_ category: Category) throws { try setCategory(category, mode: .default, policy: .default, options: []) }
    public func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, policy: .default, options: options)
    }
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }
    /// Throws `badParam`, and changes nothing, if the values contradict each other (R-SES-10, R-SES-15, R-SES-16).
    public func setCategory(_ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []) throws {
        demandMainQueue()
        let new = SessionSettings(category: category, mode: mode, options: options, policy: policy)
        try new.check()
        apply(new)
    }

    /// Throws `badParam` if the category does not allow the mode (R-SES-10).
    public func setMode(_ mode: Mode) throws {
        demandMainQueue()
        guard mode.categories?.contains(settings.category) == true else { throw ErrorCode.badParam }
        var new = settings
        new.mode = mode
        apply(new)
    }

    /// Applies the settings to the session and its players. In an active session, a new category is a change of the route.
    func apply(_ new: SessionSettings) {
        guard new != settings else { return }
        let changesCategory = new.category != settings.category
        MainTurn.perform {
            hub.change([.category, .mode]) { settings = new }
            updatePlayers()
            if active, changesCategory { postRouteChange(.categoryChange, previous: route) }
        }
    }

    /// Activates or deactivates the session. The start of playback activates it automatically (R-SES-21).
    ///
    /// Activation throws only `badParam`, if `options` is not empty: on Linux no other program can refuse it. Deactivation during playback pauses the
    /// players, and then throws `isBusy` (R-SES-22).
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        demandMainQueue()
        if active {
            guard options.isEmpty else { throw ErrorCode.badParam }
            return change(isActive: true, isInterrupted: false)
        }
        let playing = livePlayers.filter { $0.rate != 0 }
        MainTurn.perform {
            change(isActive: false, isInterrupted: interrupted)
            for player in playing { player.pause() }
        }
        if !playing.isEmpty { throw ErrorCode.isBusy }
    }

    func change(isActive: Bool, isInterrupted: Bool) {
        if !isInterrupted { interrupters = [] }
        var keys: [StateKey] = []
        if isActive != active { keys.append(.isActive) }
        if isInterrupted != interrupted { keys.append(.isInterrupted) }
        guard !keys.isEmpty else { return }
        MainTurn.perform {
            hub.change(keys) { (active, interrupted) = (isActive, isInterrupted) }
            updatePlayers()
        }
    }

    /// Interrupts the session, because nobody can hear the player.
    func beginInterruption(by player: AVPlayer) {
        interrupters.insert(ObjectIdentifier(player))
        handle(.interruptionBegan(.default))
    }

    /// Ends the interruption if the player was the last whose output has interrupted the session.
    func endInterruption(by player: AVPlayer, shouldResume: Bool) {
        interrupters.remove(ObjectIdentifier(player))
        interrupters.formIntersection(livePlayers.map { ObjectIdentifier($0) })
        if interrupters.isEmpty { handle(.interruptionEnded(shouldResume: shouldResume)) }
    }

    // MARK: Preferences

    /// Whether the loss of headphones is an interruption (R-ROUTE-04); true by default. If false, the players only pause.
    public var prefersInterruptionOnRouteDisconnect: Bool {
        hub.access(.preferences)
        return preferences.interruptsOnRouteDisconnect
    }
    public func setPrefersInterruptionOnRouteDisconnect(_ value: Bool) throws { prefer { $0.interruptsOnRouteDisconnect = value } }

    /// The preferred rate in frames per second; 0 for none (R-HW-02).
    public var preferredSampleRate: Double {
        hub.access(.preferences)
        return preferences.sampleRate
    }
    /// Stores the preferred rate, which has no effect: media are played at their own rate if the device supports it. Throws `badParam` unless the
    /// rate is 0 or 4,000…384,000 frames per second.
    public func setPreferredSampleRate(_ rate: Double) throws {
        guard rate == 0 || (4_000...384_000).contains(rate) else { throw ErrorCode.badParam }
        prefer { $0.sampleRate = rate }
    }
    /// The preferred duration in seconds; 0 for none (R-HW-02).
    public var preferredIOBufferDuration: TimeInterval {
        hub.access(.preferences)
        return preferences.bufferDuration
    }
    /// Stores the preferred duration, which has no effect: the engine fills the device's buffer completely. Throws `badParam` outside 0…60 seconds.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard (0...60).contains(duration) else { throw ErrorCode.badParam }
        prefer { $0.bufferDuration = duration }
    }

    private func prefer(_ call: StaticString = #function, _ change: (inout Preferences) -> Void) {
        demandMainQueue(call)
        var new = preferences
        change(&new)
        if new != preferences { hub.change([.preferences]) { preferences = new } }
    }

    func setRoute(_ new: AVAudioSessionRouteDescription) {
        if new != route { hub.change([.currentRoute]) { route = new } }
    }

    func setHardwareRate(_ new: Double) {
        if new != hardwareRate { hub.change([.sampleRate]) { hardwareRate = new } }
    }

    // MARK: Players

    var livePlayers: [AVPlayer] { players.compactMap(\.player) }

    func add(_ player: AVPlayer) {
        players.removeAll { $0.player == nil }
        players.append(WeakPlayer(player: player))
        player.follow(role: settings.role(isActive: active), isSilenced: isSilent)
    }

    /// Activates the session (R-SES-21).
    func playbackDidBegin() {
        if !active { change(isActive: true, isInterrupted: false) }
    }

    /// Whether the category only records (R-SES-04).
    private var isSilent: Bool { settings.category == .record }

    func updatePlayers() {
        let role = settings.role(isActive: active)
        for player in livePlayers { player.follow(role: role, isSilenced: isSilent) }
    }
}
