public import CoreMedia
public import Foundation
public import PlaybackEngine

/// Plays one item at a time. The vocabulary and the rules are Apple's; sound comes from the engine below.
///
/// Everything is on the main actor, and every observer is told there (R-KVO-08, J-13: Apple allows calls from any thread). The decisions are
/// `PlaybackMachine`'s; this class performs its effects. It can be observed with `observe(_:options:changeHandler:)` and `values(for:)`.
@preconcurrency @MainActor open class AVPlayer: KeyValueObserving {
    let hub = StateHub(of: AVPlayer.self)
    /// What it was made with. Not in Apple's vocabulary.
    public nonisolated let environment: PlaybackEnvironment
    /// The audio session that its sound belongs to.
    package var session: AVAudioSession { environment.session ?? .sharedInstance() }
    /// What is heard of the current item, readable from any thread.
    package nonisolated let position: HeardPosition

    var machine: PlaybackMachine
    var engine: EngineLease?
    var isShutDown = false
    var playingItem: AVPlayerItem?
    var playerStatus = Status.unknown
    var playerError: (any Error)?
    /// How the engine plays, or will play after its start.
    private(set) var settings = EngineSettings()
    /// The user's mute.
    private(set) var isSilenced = false
    /// The session lets nothing be heard (R-LNX-22).
    var isSilencedBySession = false
    var currentOutput: OutputDescription?
    /// Those of `setOutputs`, for an engine that has not been started.
    var chosenOutputs: [any OutputProvider]?
    /// What its engine has counted. Not in Apple's vocabulary.
    package internal(set) var figures = EngineFigures()

    /// Where the last seek that finished landed: what was heard first, whatever the time is by now. Not in Apple's vocabulary.
    package var landedTime = CMTime.zero
    var seeks = SeekCoordinator()
    var timeObservers = TimeObservers()
    /// Who waits for the preroll that is under way.
    var prerollCompletion: (@MainActor (Bool) -> Void)?
    var sync = SyncedStart()
    /// What the item's access log was told last of how its time moves.
    var logged: (item: AVPlayerItem, rate: Double)?
    /// The one timer: fires at the next moment at which something is to be noticed.
    var timer: (any ScheduledAction)?
    /// The current item failed, and frames of it are still to be heard.
    var pendingFailure: PlaybackError?
    /// The upcoming items that the engine was told of last.
    var postedUpcoming: [ItemID] = []
    var isCatchingUp = false
    /// Called after whatever may have changed how the heard position moves.
    package var motionMayHaveChanged: (() -> Void)?
    /// Called when no output could be opened, after playback has stopped for it.
    package var outputDidFail: (() -> Void)?

    // MARK: Making

    /// A player without an item.
    public convenience init() { self.init(playerItem: nil) }
    /// A player of `AVPlayerItem(url:)`.
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }
    /// A player of an item that belongs to no other (R-ITEM-01).
    public convenience init(playerItem item: AVPlayerItem?) { self.init(playerItem: item, environment: .default) }

    /// A player in an environment of its own. Not in Apple's vocabulary.
    public convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        AVFoundation.demandMainQueue(Self.self)
        self.init(environment: environment, endAction: .pause)
        if let item { replaceCurrentItem(with: item) }
    }

    init(environment: PlaybackEnvironment, endAction: PlaybackMachine.EndAction) {
        self.environment = environment
        position = HeardPosition(hostClock: environment.clock)
        machine = PlaybackMachine(endAction: endAction)
        machine.achievableRates = environment.rates
        StateHub.hadPlayers = true
        session.add(self)
    }

    /// Ends the engine's threads and closes the device; blocks until that is done, at most two seconds. The player plays nothing afterwards.
    /// Not in Apple's vocabulary, where players end when they are dropped (they do here too).
    public func shutDown() {
        demandMainQueue()
        guard !isShutDown else { return }
        MainTurn.perform {
            pause()
            cancelSeeks()
            cancelPendingPrerolls()
            for item in ownItems() { item.completeStart(false) }
        }
        isShutDown = true
        timer?.cancel()
        timer = nil
        let lease = engine
        engine = nil
        position.setClock(nil)
        lease?.engine.shutDown()
    }

    // MARK: What it is doing

    /// Whether the player itself can go on. It does not mirror the item's status (R-PSTAT-01): an item that fails leaves it ready (R-PSTAT-02).
    public enum Status: Int, Sendable {
        case unknown = 0, readyToPlay, failed
    }
    /// Unknown until the player has tried to load something (R-PSTAT-01).
    public var status: Status {
        hub.access(.status)
        return playerStatus
    }
    /// Why the player failed, nil otherwise: only the loss of the audio service does that (R-PSTAT-02, R-STATUS-10). Where merely an output is lost the
    /// engine goes on with the next.
    public var error: (any Error)? {
        hub.access(.error)
        return playerError
    }
    /// The item that plays, or is to. Observable (R-CUR-01).
    public var currentItem: AVPlayerItem? {
        hub.access(.currentItem)
        return playingItem
    }
    /// The media time that is heard now. Zero without an item; where a seek landed once it has completed (R-ITEM-07, R-SEEK-11).
    public func currentTime() -> CMTime {
        demandMainQueue()
        return position.now().time
    }

    /// Where sound goes; nil before the first output is open. Observable. Not in Apple's vocabulary.
    public var output: OutputDescription? {
        hub.access(.output)
        return currentOutput
    }

    /// 0…1, the gain of this player alone; what lies outside is clamped (R-VOL-01, R-VOL-02).
    public var volume: Float {
        get {
            hub.access(.volume)
            return settings.volume
        }
        set {
            demandMainQueue()
            let clamped = newValue.isNaN ? settings.volume : min(1, max(0, newValue))
            guard clamped != settings.volume else { return }
            configure(.volume) { $0.volume = clamped }
        }
    }
    /// Independent of `volume` (R-VOL-01).
    public var isMuted: Bool {
        get {
            hub.access(.isMuted)
            return isSilenced
        }
        set {
            demandMainQueue()
            guard newValue != isSilenced else { return }
            configure(.isMuted) { settings in
                isSilenced = newValue
                settings.isMuted = isSilenced || isSilencedBySession
            }
        }
    }

    /// Changes the settings and sends them to the engine, if there is one.
    ///
    /// - Parameter key: the observable property that changes with them.
    func configure(_ key: StateKey? = nil, _ change: (inout EngineSettings) -> Void) {
        let former = settings
        if let key { hub.change([key]) { change(&settings) } } else { change(&settings) }
        if settings != former { post(.configure(settings)) }
    }

    // MARK: Items

    /// Plays another item, or none. Acts at once; the same item is no change; the requested rate stays (R-REPL-01, R-REPL-02).
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        demandMainQueue()
        guard item !== playingItem else { return }
        MainTurn.perform {
            catchUp()
            item?.associate(with: self)
            let former = playingItem
            setCurrentItem(item, by: .loading)
            former?.dissociate()
        }
    }

    /// The items that follow the current one without a gap. A plain player has none.
    func upcomingItems() -> [AVPlayerItem] { [] }
    /// Every item that belongs to this player.
    func ownItems() -> [AVPlayerItem] { playingItem.map { [$0] } ?? [] }
    /// Whether a failed item is left for the next at once (R-QUEUE-07).
    var skipsFailedItems: Bool { false }
    /// Makes the next item current. `isNatural`: the current one was heard to its end.
    func goToNext(isNatural: Bool) {}
    /// An item that is not current has failed, and has said so.
    func upcomingItemFailed(_ item: AVPlayerItem) {}
}

extension AVPlayer: Hashable {
    /// Players are equal when they are the same object.
    public nonisolated static func == (a: AVPlayer, b: AVPlayer) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
