public import Foundation
import Platform
import PlaybackEngine

/// The purpose of the program's audio, and whether it may play now. A process has one session, which works without configuration (R-SES-07).
///
/// A session may be used on any thread. Linux has no silent switch, and only the sound server decides whether other programs
/// are interrupted.
public final class AVAudioSession: NSObject, KeyValueObserving, StateOwner {
    private static let shared = AVAudioSession()
    public static func sharedInstance() -> AVAudioSession { shared }

    let hub = StateHub()
    @Turn private(set) var settings = SessionSettings()
    @Turn private(set) var active = false
    @Turn private(set) var interrupted = false
    /// The route that was reported last.
    @Turn private(set) var route = AVAudioSessionRouteDescription()
    /// The rate of the device that was opened last, in frames per second.
    @Turn private(set) var hardwareRate = 0.0
    /// The volume of the device that was opened or changed last.
    @Turn private(set) var hardwareVolume: Float = 1
    @Turn private var preferences = Preferences()
    @Turn private var players: [WeakPlayer] = []
    /// The players whose outputs interrupt the session.
    @Turn private var interrupters: Set<ObjectIdentifier> = []
    /// The players whose outputs were lost, and are not back.
    @Turn private var deprived: Set<ObjectIdentifier> = []
    /// The players that the sound server has asked to make way for another program.
    @Turn private(set) var yielders: Set<ObjectIdentifier> = []
    /// The queue on which route changes are posted (R-ROUTE-02).
    let routeQueue = DispatchQueue(label: "AVAudioSession.route")

    private struct WeakPlayer { weak var player: AVPlayer? }
    private struct Preferences: Hashable {
        var sampleRate = 0.0
        var bufferDuration = 0.0
        var interruptsOnRouteDisconnect = true
    }

    @Turn var scheduler: any MainScheduler { (livePlayers.first?.environment ?? .default).scheduler }

    /// Makes a session for the players of a separate `PlaybackEnvironment`. Takes no turn, because the shared session is made at its first use, which
    /// may be inside one.
    package override init() { super.init() }

    // MARK: Category, mode and state

    public var category: Category { read(.category) { settings.category } }
    public var mode: Mode { read(.mode) { settings.mode } }
    public var categoryOptions: CategoryOptions { read(.category) { settings.options } }
    public var routeSharingPolicy: RouteSharingPolicy { read(.category) { settings.policy } }
    /// Whether the program may use the output. Not in Apple's API.
    public var isActive: Bool { read(.isActive) { active } }
    /// Whether the session is interrupted. Activating the session ends the interruption too, because its end may never be reported (R-INT-03). Not in
    /// Apple's API.
    public var isInterrupted: Bool { read(.isInterrupted) { interrupted } }
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
        let new = SessionSettings(category: category, mode: mode, options: options, policy: policy)
        try new.check()
        turn { apply(new) }
    }

    /// Throws `badParam` if the category does not allow the mode (R-SES-10).
    public func setMode(_ mode: Mode) throws {
        try turn { () throws(ErrorCode) in
            guard mode.categories?.contains(settings.category) == true else { throw .badParam }
            var new = settings
            new.mode = mode
            apply(new)
        }
    }

    /// Applies the settings to the session and its players. In an active session, a new category is a change of the route.
    @Turn func apply(_ new: SessionSettings) {
        guard new != settings else { return }
        let changesCategory = new.category != settings.category
        hub.change([.category, .mode]) { settings = new }
        updatePlayers()
        if active, changesCategory { postRouteChange(.categoryChange, previous: route) }
    }

    /// Activates or deactivates the session. The start of playback activates it automatically (R-SES-21).
    ///
    /// Activation throws only `badParam`, if `options` is not empty: on Linux no other program can refuse it. Deactivation during playback pauses the
    /// players, and then throws `isBusy` (R-SES-22).
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        try turn { () throws(ErrorCode) in
            if active {
                guard options.isEmpty else { throw .badParam }
                return change(isActive: true, isInterrupted: false)
            }
            let playing = livePlayers.filter { $0.machine.rate != 0 }
            change(isActive: false, isInterrupted: interrupted)
            for player in playing { player.request(0) }
            if !playing.isEmpty { throw .isBusy }
        }
    }

    @Turn func change(isActive: Bool, isInterrupted: Bool) {
        if !isInterrupted { interrupters = [] }
        var keys: [StateKey] = []
        if isActive != active { keys.append(.isActive) }
        if isInterrupted != interrupted { keys.append(.isInterrupted) }
        guard !keys.isEmpty else { return }
        hub.change(keys) { (active, interrupted) = (isActive, isInterrupted) }
        updatePlayers()
    }

    /// Interrupts the session, because nobody can hear the player. An interruption with another cause, such as removed headphones, goes on, and does
    /// not end with the player's, unless playback was requested since (`isRequested`).
    @Turn func beginInterruption(by player: AVPlayer, isRequested: Bool = false) {
        guard !interrupted || !interrupters.isEmpty || isRequested else { return }
        interrupters.insert(ObjectIdentifier(player))
        handle(.interruptionBegan(.default))
    }

    /// Ends the interruption if the player was the last whose output has interrupted the session.
    @Turn func endInterruption(by player: AVPlayer, shouldResume: Bool) {
        guard interrupters.remove(ObjectIdentifier(player)) != nil else { return }
        forgetReleasedInterrupters(shouldResume: shouldResume)
    }

    /// Ends the interruption if the players whose outputs have interrupted the session are gone.
    @Turn private func forgetReleasedInterrupters(shouldResume: Bool) {
        interrupters.formIntersection(livePlayers.map { ObjectIdentifier($0) })
        if interrupters.isEmpty { handle(.interruptionEnded(shouldResume: shouldResume)) }
    }

    // MARK: Other programs

    /// Handles the sound server's request to a player to make way for another program, or its end (R-HINT-01).
    @Turn func makeWay(_ isAsked: Bool, for player: AVPlayer) {
        var new = yielders.intersection(livePlayers.map { ObjectIdentifier($0) })
        if isAsked { new.insert(ObjectIdentifier(player)) } else { new.remove(ObjectIdentifier(player)) }
        guard new.isEmpty != yielders.isEmpty else {
            yielders = new
            return
        }
        hub.change([.otherAudio]) { yielders = new }
        let type: SilenceSecondaryAudioHintType = isAsked ? .begin : .end
        Turn.post(Self.silenceSecondaryAudioHintNotification, from: self, [AVAudioSessionSilenceSecondaryAudioHintTypeKey: type.rawValue])
    }

    /// Forgets what the output of a player has reported that is shut down.
    @Turn func forget(_ player: AVPlayer) {
        endInterruption(by: player, shouldResume: false)
        makeWay(false, for: player)
        outputIsOpen(by: player)
    }

    // MARK: Media services

    /// Handles a player's report that its output was lost. The first of them is the loss of the media services (R-MSR-01).
    @Turn func outputWasLost(by player: AVPlayer) {
        deprived.formIntersection(livePlayers.map { ObjectIdentifier($0) })
        let isFirst = deprived.isEmpty
        deprived.insert(ObjectIdentifier(player))
        if isFirst { Turn.post(Self.mediaServicesWereLostNotification, from: self, nil) }
    }

    /// Handles a player's report that an output is open. The last that was without one has the media services back (R-MSR-01).
    @Turn func outputIsOpen(by player: AVPlayer) {
        guard deprived.remove(ObjectIdentifier(player)) != nil else { return }
        deprived.formIntersection(livePlayers.map { ObjectIdentifier($0) })
        if deprived.isEmpty { Turn.post(Self.mediaServicesWereResetNotification, from: self, nil) }
    }

    // MARK: Preferences

    /// Whether the loss of headphones is an interruption (R-ROUTE-04); true by default. If false, the players only pause.
    public var prefersInterruptionOnRouteDisconnect: Bool { read(.preferences) { preferences.interruptsOnRouteDisconnect } }
    public func setPrefersInterruptionOnRouteDisconnect(_ value: Bool) throws { turn { prefer { $0.interruptsOnRouteDisconnect = value } } }

    /// The preferred rate in frames per second; 0 for none (R-HW-02).
    public var preferredSampleRate: Double { read(.preferences) { preferences.sampleRate } }
    /// Stores the preferred rate, which has no effect: media are played at their own rate if the device supports it. Throws `badParam` unless the
    /// rate is 0 or 4,000…384,000 frames per second.
    public func setPreferredSampleRate(_ rate: Double) throws {
        guard rate == 0 || (4_000...384_000).contains(rate) else { throw ErrorCode.badParam }
        turn { prefer { $0.sampleRate = rate } }
    }
    /// The preferred duration in seconds; 0 for none (R-HW-02).
    public var preferredIOBufferDuration: TimeInterval { read(.preferences) { preferences.bufferDuration } }
    /// Stores the preferred duration, which has no effect: the engine fills the device's buffer completely. Throws `badParam` outside 0…60 seconds.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard (0...60).contains(duration) else { throw ErrorCode.badParam }
        turn { prefer { $0.bufferDuration = duration } }
    }

    @Turn private func prefer(_ change: (inout Preferences) -> Void) {
        var new = preferences
        change(&new)
        if new != preferences { hub.change([.preferences]) { preferences = new } }
    }

    @Turn func setRoute(_ new: AVAudioSessionRouteDescription) {
        if new != route { hub.change([.currentRoute]) { route = new } }
    }

    @Turn func setHardwareRate(_ new: Double) {
        if new != hardwareRate { hub.change([.sampleRate]) { hardwareRate = new } }
    }

    @Turn func setOutputVolume(_ new: Float) {
        if new != hardwareVolume { hub.change([.outputVolume]) { hardwareVolume = new } }
    }

    // MARK: Players

    /// The players, which are kept until the turn has ended.
    @Turn var livePlayers: [AVPlayer] {
        let live = players.compactMap(\.player)
        Turn.keep(live)
        return live
    }

    @Turn func add(_ player: AVPlayer) {
        // The new player may have the address of a released one.
        if !interrupters.isEmpty { forgetReleasedInterrupters(shouldResume: false) }
        players = (livePlayers + [player]).map { WeakPlayer(player: $0) }
        player.follow(role: settings.role(isActive: active), isSilenced: isSilent)
    }

    /// Activates the session (R-SES-21).
    @Turn func playbackDidBegin() {
        if !active { change(isActive: true, isInterrupted: false) }
    }

    /// Whether the category only records (R-SES-04).
    @Turn private var isSilent: Bool { settings.category == .record }

    @Turn func updatePlayers() {
        let role = settings.role(isActive: active)
        for player in livePlayers { player.follow(role: role, isSilenced: isSilent) }
    }
}
