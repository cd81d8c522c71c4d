import Foundation

/// What the program's sound is, and whether it may sound now. One for the process; usable without configuring anything (R-SES-07).
///
/// Main actor (Apple's may be used from any thread). On Linux there is no silent switch, and other programs are interrupted by the sound server's policy
/// alone; what interrupts this program is fed in as an `AudioSessionEvent`.
@preconcurrency @MainActor public final class AVAudioSession: KeyValueObserving {
    private static let shared = AVAudioSession()
    public static func sharedInstance() -> AVAudioSession { shared }

    let hub = StateHub()
    private var settings = Settings()
    private var active = false
    private var interrupted = false
    /// The players whose sound this is.
    private var players: [WeakPlayer] = []

    private struct WeakPlayer { weak var player: AVPlayer? }
    private struct Settings: Hashable {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
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
    public var availableCategories: [Category] { [.ambient, .soloAmbient, .playback] }

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
        guard Category.all.contains(category), mode.categories?.contains(category) == true,
            CategoryOptions.allowed(in: category).isSuperset(of: options)
        else { throw ErrorCode.badParam }
        if policy == .longFormAudio || policy == .longFormVideo {
            guard category == .playback, options.isEmpty, [.default, .moviePlayback, .spokenAudio].contains(mode) else { throw ErrorCode.badParam }
        }
        apply(Settings(category: category, mode: mode, options: options, policy: policy))
    }

    /// Sets the mode alone; throws `badParam` where the category does not allow it (R-SES-10).
    public func setMode(_ mode: Mode) throws {
        guard mode.categories?.contains(settings.category) == true else { throw ErrorCode.badParam }
        var new = settings
        new.mode = mode
        apply(new)
    }

    private func apply(_ new: Settings) {
        guard new != settings else { return }
        let changesCategory = new.category != settings.category
        MainTurn.perform {
            hub.change([.category, .mode]) { settings = new }
            if active, changesCategory { postRouteChange(.categoryChange) }
        }
    }

    /// Takes the sound output, or leaves it. Playing does the first by itself (R-SES-21).
    ///
    /// Deactivating while something plays stops it, deactivates, and throws `isBusy` all the same (R-SES-22).
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            guard options.isEmpty else { throw ErrorCode.badParam }
            return activate()
        }
        let playing = livePlayers.filter { $0.rate != 0 }
        MainTurn.perform {
            change(isActive: false, isInterrupted: interrupted)
            for player in playing { player.pause() }
        }
        if !playing.isEmpty { throw ErrorCode.isBusy }
    }

    private func activate() { change(isActive: true, isInterrupted: false) }

    private func change(isActive: Bool, isInterrupted: Bool) {
        var keys: [StateKey] = []
        if isActive != active { keys.append(.isActive) }
        if isInterrupted != interrupted { keys.append(.isInterrupted) }
        guard !keys.isEmpty else { return }
        hub.change(keys) { (active, interrupted) = (isActive, isInterrupted) }
    }

    // MARK: Players

    private var livePlayers: [AVPlayer] { players.compactMap(\.player) }

    func add(_ player: AVPlayer) {
        players.removeAll { $0.player == nil }
        players.append(WeakPlayer(player: player))
    }

    /// A player begins to sound (R-SES-21).
    func playbackDidBegin() {
        if !active { activate() }
    }

    // MARK: What happens to it

    /// Something outside happened to the program's sound. The sources on Linux feed these; so do tests.
    public enum AudioSessionEvent: Sendable, Hashable {
        case interruptionBegan(InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        case routeChanged(RouteChangeReason)
    }

    /// Lets it happen: players first, then the notification, in one turn of the main actor (R-RDC-05, J-9).
    public func handle(_ event: AudioSessionEvent) {
        MainTurn.perform {
            switch event {
            case .interruptionBegan(let reason):
                guard !interrupted else { return }
                for player in livePlayers { player.apply(.interrupted) }
                // R-INT-02: at the notification the session is inactive already.
                change(isActive: false, isInterrupted: true)
                postInterruption(.began, [AVAudioSessionInterruptionReasonKey: reason.rawValue])
            case .interruptionEnded(let shouldResume):
                guard interrupted else { return }
                change(isActive: active, isInterrupted: false)
                for player in livePlayers { player.apply(.interruptionEnded(shouldResume: shouldResume)) }
                let options: InterruptionOptions = shouldResume ? .shouldResume : []
                postInterruption(.ended, [AVAudioSessionInterruptionOptionKey: options.rawValue])
            case .routeChanged(let reason):
                // R-ROUTE-03: the headphones are gone, the music does not go on aloud.
                if reason == .oldDeviceUnavailable { for player in livePlayers { player.apply(.routeLost) } }
                postRouteChange(reason)
            }
        }
    }

    private func postInterruption(_ type: InterruptionType, _ more: [AnyHashable: Any]) {
        var userInfo = more
        userInfo[AVAudioSessionInterruptionTypeKey] = type.rawValue
        MainTurn.tell { [self] in NotificationCenter.default.post(name: Self.interruptionNotification, object: self, userInfo: userInfo) }
    }

    private func postRouteChange(_ reason: RouteChangeReason) {
        let userInfo: [AnyHashable: Any] = [AVAudioSessionRouteChangeReasonKey: reason.rawValue]
        MainTurn.tell { [self] in NotificationCenter.default.post(name: Self.routeChangeNotification, object: self, userInfo: userInfo) }
    }
}
