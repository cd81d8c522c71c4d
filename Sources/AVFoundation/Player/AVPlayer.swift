public import CoreMedia
public import Foundation
import Platform
public import PlaybackEngine

/// A player of one item at a time. `AVPlayer` has the names and rules of Apple's class; the engine (`PlaybackEngine`) renders the audio.
///
/// A player is used on the main actor, and its observers are notified on the main actor (R-KVO-08, J-13: Apple allows calls from any thread).
/// `PlaybackMachine` makes the decisions of a player, and `AVPlayer` performs the effects. The properties of a player can be observed with
/// `observe(_:options:changeHandler:)` and `values(for:)`.
@preconcurrency @MainActor open class AVPlayer: KeyValueObserving {
    let hub = StateHub(of: AVPlayer.self)
    /// The external parts of the player: its clock, opener, outputs and scheduler. Apple's API has no property `environment`.
    public nonisolated let environment: PlaybackEnvironment
    /// The heard position of the player's current item, which may be read on any thread.
    package nonisolated let position: HeardPosition

    private(set) var machine: PlaybackMachine
    private var condition = Condition.unknown
    private(set) var isShutDown = false
    let engine = PlayerEngine()
    let lineup = PlayerLineup()
    let seeks = SeekCoordinator()
    let sync = SyncedStart()
    let pendingPreroll = PendingPreroll()
    let timeObservers = TimeObservers()
    let marks: MarkTimer
    let movementLog: MovementLog
    let observers = ObserverList<Notice>()

    /// The audio session of the player.
    package var session: AVAudioSession { environment.session ?? .sharedInstance() }

    // MARK: Making

    /// Makes a player without an item.
    public convenience init() { self.init(playerItem: nil) }
    /// Makes a player of the item `AVPlayerItem(url: url)`.
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }
    /// Makes a player of an item that belongs to no other player (R-ITEM-01).
    public convenience init(playerItem item: AVPlayerItem?) { self.init(playerItem: item, environment: .default) }

    /// Makes a player in an environment of its own. Apple's API has no `init(playerItem:environment:)`.
    public convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        AVFoundation.demandMainQueue(Self.self)
        self.init(environment: environment, endAction: .pause)
        if let item { replaceCurrentItem(with: item) }
    }

    init(environment: PlaybackEnvironment, endAction: PlaybackMachine.EndAction) {
        self.environment = environment
        position = HeardPosition(hostClock: environment.clock)
        marks = MarkTimer(environment)
        movementLog = MovementLog(environment)
        machine = PlaybackMachine(endAction: endAction)
        machine.achievableRates = environment.rates
        StateHub.hadPlayers = true
        session.add(self)
    }

    /// Ends the engine's threads and closes the device; blocks until the threads have ended and the device is closed, at most two seconds. After
    /// `shutDown`, the player plays nothing. Apple's API has no `shutDown`, because a player ends when it is released. A player that is released
    /// without `shutDown` ends here too.
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
        marks.cancel()
        position.setClock(nil)
        engine.shutDown()
    }

    // MARK: State

    private enum Condition {
        case unknown, ready
        case failed(any Error)
    }
    /// Whether the player itself can play. The status of a player is independent of its item's status (R-PSTAT-01): the player stays ready if an item
    /// fails (R-PSTAT-02).
    public enum Status: Int, Sendable {
        case unknown = 0, readyToPlay, failed
    }
    /// The player's status; `unknown` until the player has tried to load an item (R-PSTAT-01).
    public var status: Status {
        hub.access(.status)
        return playerStatus
    }
    /// The player's status, which is read without recording an access for observers.
    var playerStatus: Status {
        switch condition {
        case .unknown: .unknown
        case .ready: .readyToPlay
        case .failed: .failed
        }
    }
    /// The error of the player if its status is `failed`, otherwise nil. Only the loss of the audio service fails a player (R-PSTAT-02, R-STATUS-10).
    /// After the loss of an output alone, the engine continues on the next output.
    public var error: (any Error)? {
        hub.access(.error)
        return if case .failed(let error) = condition { error } else { nil }
    }
    /// Sets the player's status to `readyToPlay`, because the engine has been started.
    func becomeReady() {
        if case .unknown = condition { hub.change([.status]) { condition = .ready } }
    }
    /// Sets the player's status to `failed` permanently.
    func fail(_ error: any Error) { hub.change([.error, .status]) { condition = .failed(error) } }

    /// The player's current item, which plays or will play; nil if the player has no item. `currentItem` is observable (R-CUR-01).
    public var currentItem: AVPlayerItem? {
        hub.access(.currentItem)
        return playingItem
    }
    /// The player's current item, which is read without recording an access for observers.
    var playingItem: AVPlayerItem? { lineup.current }
    /// The media time that is heard now. If the player has no item, the current time is zero. When a seek completes, `currentTime()` is the position
    /// that the seek reached (R-ITEM-07, R-SEEK-11).
    public func currentTime() -> CMTime {
        demandMainQueue()
        return position.now().time
    }

    /// The output on which the player plays; nil before the first output is open. `output` is observable. Apple's API has no property `output`.
    public var output: OutputDescription? {
        hub.access(.output)
        return engine.output
    }
    /// The format in which the output receives audio; nil before the first output is open. `outputFormat` is observable.
    package var outputFormat: AudioFormat? {
        hub.access(.outputFormat)
        return engine.outputFormat
    }
    /// The error of the output that was lost, or that could not be opened; nil if no output has failed. The error becomes nil when an audible output,
    /// or an output that the user has chosen, is opened. `outputError` is observable.
    package var outputError: PlaybackError? {
        hub.access(.outputError)
        return engine.outputError
    }
    /// The numbers of underruns and of skipped packets of the player's engine.
    package var figures: EngineFigures { engine.figures }
    /// The landing of the last completed seek: the position of the audio that was heard first after the seek. The landing does not advance with
    /// playback.
    package var landedTime: CMTime { seeks.landedTime }

    /// The gain of this player alone, 0…1. A gain outside 0…1 is clamped (R-VOL-01, R-VOL-02).
    public var volume: Float {
        get {
            hub.access(.volume)
            return engine.settings.volume
        }
        set {
            demandMainQueue()
            let clamped = newValue.isNaN ? engine.settings.volume : min(1, max(0, newValue))
            guard clamped != engine.settings.volume else { return }
            configure(.volume) { $0.volume = clamped }
        }
    }
    /// Whether the player is muted. The mute is independent of `volume` (R-VOL-01).
    public var isMuted: Bool {
        get {
            hub.access(.isMuted)
            return engine.isMuted
        }
        set {
            demandMainQueue()
            guard newValue != engine.isMuted else { return }
            configure(.isMuted) { $0.isMuted = engine.mute(byUser: newValue) }
        }
    }

    /// Changes the player's engine settings, and sends the settings to the engine if the engine was started.
    ///
    /// - Parameter key: The observable property that changes with the settings; nil if no observable property changes.
    func configure(_ key: StateKey? = nil, _ change: (inout EngineSettings) -> Void) {
        let former = engine.settings
        if let key { hub.change([key]) { engine.change(change) } } else { engine.change(change) }
        if engine.settings != former { engine.post(.configure(engine.settings)) }
    }

    // MARK: Decisions

    /// Passes an event to the `PlaybackMachine`, publishes the changed properties, and performs the effects (R-EOI-05: first the rate, then the
    /// status, then notifications).
    func apply(_ event: PlaybackMachine.Event) {
        guard !isShutDown else { return }
        MainTurn.perform {
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
            if (before.effectiveRate != 0) != (after.effectiveRate != 0) { timeObservers.movementChanged() }
            for effect in effects { perform(effect) }
            if !machine.isHeldBack { sync.release() }
            movementLog.update(playingItem, rate: machine.effectiveRate, isPaused: machine.rate == 0)
            lineup.livePause.update(playingItem, isPaused: machine.rate == 0, environment)
            rearm()
        }
    }

    // MARK: Items

    /// Replaces the player's item by another item, or removes it if `item` is nil. The item changes immediately, and the requested rate does not
    /// change. Replacing an item by the same item is no change (R-REPL-01, R-REPL-02).
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

    /// The items that follow the current item without a gap. A player without a queue has no following items.
    func upcomingItems() -> [AVPlayerItem] { [] }
    /// Every item that belongs to this player.
    func ownItems() -> [AVPlayerItem] { playingItem.map { [$0] } ?? [] }
    /// Whether the next item becomes current immediately after the current item has failed (R-QUEUE-07).
    var skipsFailedItems: Bool { false }
    /// Makes the next item current. The parameter `isNatural` states whether the current item was heard to its end.
    func goToNext(isNatural: Bool) {}
    /// The function that can replace an item by other items if the item's medium is a playlist; nil if there is none. Only a queue player can have
    /// one.
    var listHandler: ListHandler? { nil }
    /// Handles the failure of an item that is not current, after the item has published its failure.
    func upcomingItemFailed(_ item: AVPlayerItem) {}
}

extension AVPlayer: Hashable {
    /// Players are equal when they are the same object.
    public nonisolated static func == (a: AVPlayer, b: AVPlayer) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
