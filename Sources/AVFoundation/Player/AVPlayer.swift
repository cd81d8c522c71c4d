public import CoreMedia
public import Foundation
import Platform
public import PlaybackEngine

/// A player of one item at a time, with the names and rules of Apple's class.
///
/// A player may be used on any thread (R-KVO-08), and observed by `observe(_:options:changeHandler:)` and `values(for:)`. `PlaybackMachine` makes the
/// decisions, and `AVPlayer` performs their effects; the engine (`PlaybackEngine`) renders the audio.
@preconcurrency @MainActor open class AVPlayer: KeyValueObserving, StateOwner {
    nonisolated let hub = StateHub()
    /// The clock, opener, outputs and scheduler of the player. Not in Apple's API.
    public nonisolated let environment: PlaybackEnvironment
    /// The heard position, which any thread may read.
    package nonisolated let position: HeardPosition

    @Turn private(set) var machine = PlaybackMachine(endAction: .pause)
    /// The status, without recording an access for observers.
    @Turn private(set) var playerStatus = Status.unknown
    @Turn private(set) var isShutDown = false
    nonisolated let engine = PlayerEngine()
    nonisolated let outputControl: OutputControl
    nonisolated let lineup = PlayerLineup()
    nonisolated let seeks = SeekCoordinator()
    nonisolated let sync = SyncedStart()
    /// The completion of the preroll in progress, which is called once; nil if there is none.
    @Turn var pendingPreroll: SeekCoordinator.Completion?
    nonisolated let timeObservers = TimeObservers()
    nonisolated let marks: MarkTimer
    nonisolated let movementLog: MovementLog
    nonisolated let observers = ObserverList<Notice>()
    /// Whether notices have ever been asked for. Without that none are enqueued, because a program may have a main queue that never runs.
    @Turn var hasNoticeObservers = false

    package nonisolated var session: AVAudioSession { environment.session ?? .sharedInstance() }
    @Turn var scheduler: any MainScheduler { environment.scheduler }

    // MARK: Making

    public nonisolated convenience init() { self.init(playerItem: nil) }
    public nonisolated convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }
    /// Makes a player of an item that belongs to no other player (R-ITEM-01).
    public nonisolated convenience init(playerItem item: AVPlayerItem?) { self.init(playerItem: item, environment: .default) }

    /// Makes a player with an environment of its own. Not in Apple's API.
    public nonisolated convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        self.init(environment: environment, endAction: .pause)
        if let item { replaceCurrentItem(with: item) }
    }

    nonisolated init(environment: PlaybackEnvironment, endAction: PlaybackMachine.EndAction) {
        self.environment = environment
        position = HeardPosition(hostClock: environment.clock)
        marks = MarkTimer(environment)
        movementLog = MovementLog(environment)
        outputControl = OutputControl(environment)
        turn {
            machine = PlaybackMachine(endAction: endAction)
            StateHub.hadPlayers = true
            session.add(self)
            outputControl.start(for: self)
        }
    }

    /// Blocks until the engine's threads have ended and the device is closed, at most two seconds; the player plays nothing afterwards. Not in
    /// Apple's API; players end when they are released, as Apple's do.
    public nonisolated func shutDown() {
        let lease = turn { () -> EngineLease? in
            guard !isShutDown else { return nil }
            request(0)
            cancelSeeks()
            apply(.prerollCancelled)
            for item in ownItems() { item.completeStart(false) }
            isShutDown = true
            marks.cancel()
            position.setClock(nil)
            outputControl.stop()
            return engine.takeLease()
        }
        lease?.shutDown()
    }

    // MARK: State

    /// The status of the player itself, which stays ready if an item fails (R-PSTAT-01, R-PSTAT-02); never `failed` on Linux.
    public enum Status: Int, Sendable {
        case unknown = 0, readyToPlay, failed
    }
    /// The status is `unknown` until the player has tried to load an item (R-PSTAT-01).
    public nonisolated var status: Status { read(.status) { playerStatus } }
    /// The player's error, always nil on Linux: the loss of an output interrupts the session (R-PSTAT-02, R-STATUS-10).
    public nonisolated var error: (any Error)? { nil }
    /// Called when the engine has been started.
    @Turn func becomeReady() {
        if playerStatus == .unknown { hub.change([.status]) { playerStatus = .readyToPlay } }
    }

    /// The item that plays or will play. Observable (R-CUR-01).
    public nonisolated var currentItem: AVPlayerItem? { read(.currentItem) { playingItem } }
    /// The current item, without recording an access for observers.
    @Turn var playingItem: AVPlayerItem? { lineup.current }
    /// The position that is heard now, read without the lock; zero without an item. When a seek completes, it is the position that the seek has
    /// reached (R-ITEM-07, R-SEEK-11).
    public nonisolated func currentTime() -> CMTime { position.now().time }

    /// The open output; nil before the first one is open. Observable. Not in Apple's API.
    public nonisolated var output: OutputDescription? { read(.output) { engine.output } }
    /// The format of the open output; nil before the first one is open. Observable.
    package nonisolated var outputFormat: AudioFormat? { read(.outputFormat) { engine.outputFormat } }
    /// The error of the output that was lost or could not be opened; nil again when an output is opened. Observable.
    package nonisolated var outputError: PlaybackError? { read(.outputError) { engine.outputError } }
    package nonisolated var figures: EngineFigures { Turn.perform { engine.figures } }
    /// The position that the last completed seek reached; does not advance with playback.
    package nonisolated var landedTime: CMTime { Turn.perform { seeks.landedTime } }

    /// The gain of this player alone, limited to 0…1 (R-VOL-01, R-VOL-02).
    public nonisolated var volume: Float {
        get { read(.volume) { engine.settings.volume } }
        set {
            turn {
                let clamped = newValue.isNaN ? engine.settings.volume : min(1, max(0, newValue))
                guard clamped != engine.settings.volume else { return }
                configure(.volume) { $0.volume = clamped }
            }
        }
    }
    /// Whether the player is silent, independent of `volume` (R-VOL-01).
    public nonisolated var isMuted: Bool {
        get { read(.isMuted) { engine.isMuted } }
        set {
            turn {
                guard newValue != engine.isMuted else { return }
                configure(.isMuted) { $0.isMuted = engine.mute(byUser: newValue) }
            }
        }
    }

    /// Changes the settings, and sends them to the engine. `key` is the property that changes for observers.
    @Turn func configure(_ key: StateKey? = nil, _ change: (inout EngineSettings) -> Void) {
        let former = engine.settings
        if let key { hub.change([key]) { engine.change(change) } } else { engine.change(change) }
        if engine.settings != former { engine.post(.configure(engine.settings)) }
    }

    // MARK: Decisions

    /// Called after each decision, with the state that it leads to; nil except in tests of the order of decisions.
    @Turn static var record: (@Turn (AVPlayer, PlaybackMachine.Event, PlaybackMachine) -> Void)?

    /// Handles an event: publishes the changes, and performs the effects: first the rate, then the status, then notifications (R-EOI-05).
    @Turn func apply(_ event: PlaybackMachine.Event) {
        guard !isShutDown else { return }
        rejoinIfReleased(before: event)
        let before = machine
        var after = machine
        let effects = after.handle(event)
        var keys: [StateKey] = []
        if before.rate != after.rate { keys.append(.rate) }
        if TimeControlStatus(before.status) != TimeControlStatus(after.status) { keys.append(.timeControlStatus) }
        if WaitingReason(before.status) != WaitingReason(after.status) { keys.append(.reasonForWaitingToPlay) }
        if before.defaultRate != after.defaultRate { keys.append(.defaultRate) }
        if before.waitsAutomatically != after.waitsAutomatically { keys.append(.automaticallyWaitsToMinimizeStalling) }
        if before.endAction != after.endAction { keys.append(.actionAtItemEnd) }
        hub.change(keys) { machine = after }
        Self.record?(self, event, machine)
        if (before.effectiveRate != 0) != (after.effectiveRate != 0) { timeObservers.movementChanged() }
        for effect in effects { perform(effect) }
        outputControl.keepSilent()
        if !machine.isHeldBack { sync.release() }
        movementLog.update(playingItem, rate: machine.effectiveRate, isPaused: machine.rate == 0)
        lineup.livePause.update(playingItem, isPaused: machine.rate == 0, environment)
        rearm()
    }

    // MARK: Items

    /// Replaces the current item at once; the requested rate stays. The same item is no change (R-REPL-01, R-REPL-02).
    open nonisolated func replaceCurrentItem(with item: AVPlayerItem?) {
        turn {
            guard item !== playingItem else { return }
            catchUp()
            item?.associate(with: self)
            let former = playingItem
            setCurrentItem(item, by: .loading)
            former?.dissociate()
        }
    }

    /// The items that follow without a gap; only in a queue.
    @Turn func upcomingItems() -> [AVPlayerItem] { [] }
    @Turn func ownItems() -> [AVPlayerItem] { playingItem.map { [$0] } ?? [] }
    /// Whether a failed item is skipped (R-QUEUE-07).
    @Turn var skipsFailedItems: Bool { false }
    /// Makes the next item current. `isNatural`: the current item was heard to its end.
    @Turn func goToNext(isNatural: Bool) {}
    /// Handles an item whose medium is a playlist; only in a queue player.
    @Turn var listHandler: ListHandler? { nil }
    /// Decides whether an item that would fail is held; only in a queue player.
    @Turn var failureHandler: FailureHandler? { nil }
    /// Called after an item that is not the current one has published its failure.
    @Turn func upcomingItemFailed(_ item: AVPlayerItem) {}
}

extension AVPlayer: Hashable {
    /// True for the same object.
    public nonisolated static func == (a: AVPlayer, b: AVPlayer) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
