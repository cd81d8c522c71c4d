public import CoreMedia
public import Dispatch
public import Foundation
import Platform
public import PlaybackEngine

/// A player of one item at a time, with the names and rules of Apple's class.
///
/// A player may be used on any thread (R-KVO-08), and observed by `observe(_:options:changeHandler:)` and `values(for:)`. `PlaybackMachine` makes the
/// decisions, and `AVPlayer` performs their effects; the engine (`PlaybackEngine`) renders the audio.
@preconcurrency @MainActor open class AVPlayer: NSObject, KeyValueObserving, StateOwner {
    nonisolated let hub = StateHub()
    private nonisolated let parts: Parts
    /// The clock, opener, outputs and scheduler of the player. Not in Apple's API.
    public nonisolated var environment: PlaybackEnvironment { parts.environment }
    /// The heard position, which any thread may read.
    package nonisolated var position: HeardPosition { parts.position }
    nonisolated var marks: MarkTimer { parts.marks }
    nonisolated var movementLog: MovementLog { parts.movementLog }
    nonisolated var outputControl: OutputControl { parts.outputControl }

    @Turn private(set) var machine = PlaybackMachine(endAction: .pause)
    /// The status, without recording an access for observers.
    @Turn private(set) var playerStatus = Status.unknown
    @Turn private(set) var isShutDown = false
    nonisolated let engine = PlayerEngine()
    nonisolated let lineup = PlayerLineup()
    nonisolated let seeks = SeekCoordinator()
    nonisolated let sync = SyncedStart()
    /// The completion of the preroll in progress, which is called once; nil if there is none.
    @Turn var pendingPreroll: SeekCoordinator.Completion?
    nonisolated let timeObservers = TimeObservers()
    nonisolated let observers = ObserverList<Notice>()
    /// Whether notices have ever been asked for. Without that none are enqueued, because a program may have a main queue that never runs.
    @Turn var hasNoticeObservers = false

    package nonisolated var session: AVAudioSession { environment.session ?? .sharedInstance() }
    @Turn var scheduler: any MainScheduler { environment.scheduler }

    // MARK: Making

    /// What is made from the environment, the same for all initializers.
    private struct Parts: Sendable {
        let environment: PlaybackEnvironment
        let position: HeardPosition
        let marks: MarkTimer
        let movementLog: MovementLog
        let outputControl: OutputControl

        init(_ environment: PlaybackEnvironment) {
            self.environment = environment
            position = HeardPosition(hostClock: environment.clock)
            marks = MarkTimer(environment)
            movementLog = MovementLog(environment)
            outputControl = OutputControl(environment)
        }
    }

    public nonisolated override init() {
        parts = Parts(.default)
        super.init()
        begin(with: nil)
    }

    public nonisolated init(url: URL) {
        parts = Parts(.default)
        super.init()
        begin(with: AVPlayerItem(url: url))
    }

    /// Makes a player of an item that belongs to no other player (R-ITEM-01).
    public nonisolated init(playerItem item: AVPlayerItem?) {
        parts = Parts(.default)
        super.init()
        begin(with: item)
    }

    /// Makes a player with an environment of its own. Not in Apple's API.
    public nonisolated init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        parts = Parts(environment)
        super.init()
        begin(with: item)
    }

    private nonisolated func begin(with item: AVPlayerItem?) {
        turn {
            machine = PlaybackMachine(endAction: firstEndAction)
            StateHub.hadPlayers = true
            session.add(self)
            outputControl.start(for: self)
            if let item { receiveFirst(item) }
        }
    }

    /// What happens at the end of an item until the program sets it.
    @Turn var firstEndAction: PlaybackMachine.EndAction { .pause }

    /// Makes the item with which the player was made current.
    @Turn func receiveFirst(_ item: AVPlayerItem) {
        item.associate(with: self)
        setCurrentItem(item, by: .loading)
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
    open nonisolated var status: Status { read(.status) { playerStatus } }
    /// The player's error, always nil on Linux: the loss of an output interrupts the session (R-PSTAT-02, R-STATUS-10).
    open nonisolated var error: (any Error)? { nil }
    /// Called when the engine has been started.
    @Turn func becomeReady() {
        if playerStatus == .unknown { hub.change([.status]) { playerStatus = .readyToPlay } }
    }

    /// The item that plays or will play. Observable (R-CUR-01).
    open nonisolated var currentItem: AVPlayerItem? { read(.currentItem) { playingItem } }
    /// The current item, without recording an access for observers.
    @Turn var playingItem: AVPlayerItem? { lineup.current }
    /// The position that is heard now, read without the lock; zero without an item. When a seek completes, it is the position that the seek has
    /// reached (R-ITEM-07, R-SEEK-11).
    open nonisolated func currentTime() -> CMTime { position.now().time }
    /// The position that is heard now, whatever a subclass returns from `currentTime()`.
    nonisolated var heardTime: CMTime { position.now().time }

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
    open nonisolated var volume: Float {
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
    open nonisolated var isMuted: Bool {
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

    // MARK: Rate

    /// The requested rate, also while the player waits; 0 means paused (R-RATE-01, R-RATE-02). The same rate is no change, but observers are notified
    /// (R-RATE-10). A rate that cannot be played becomes 0, with the reason `setRateFailed` (R-RATE-08).
    open nonisolated var rate: Float {
        get { read(.rate) { Float(machine.rate) } }
        set { turn { carryOut([.rate, .timeControlStatus]) { request(newValue) } } }
    }

    /// The rate that `play()` requests; initially 1. Does not affect current playback (R-RATE-05).
    open nonisolated var defaultRate: Float {
        get { read(.defaultRate) { Float(machine.defaultRate) } }
        set {
            turn {
                guard newValue.isFinite, newValue != Float(machine.defaultRate) else { return }
                apply(.defaultRateSet(Double(newValue)))
            }
        }
    }

    /// Plays at `defaultRate` (R-RATE-04). Has no effect at the end of an item before a seek (R-EOI-04).
    open nonisolated func play() { turn { carryOut([.rate, .timeControlStatus]) { request(Float(machine.defaultRate)) } } }
    /// Requests the rate 0 (R-RATE-04).
    open nonisolated func pause() { turn { carryOut([.rate, .timeControlStatus]) { request(0) } } }
    /// Plays even if little audio is buffered (R-IMM-01, R-IMM-02).
    open nonisolated func playImmediately(atRate rate: Float) {
        turn { carryOut([.rate, .timeControlStatus]) { request(rate, immediately: true) } }
    }

    open nonisolated var timeControlStatus: TimeControlStatus { read(.timeControlStatus) { TimeControlStatus(machine.status) } }
    /// Why the player waits; nil if it does not wait (R-WAIT-01).
    open nonisolated var reasonForWaitingToPlay: WaitingReason? { read(.reasonForWaitingToPlay) { WaitingReason(machine.status) } }
    /// Whether playback waits for enough audio at the start and after a stall; true by default. If false, playback starts with any amount of audio,
    /// and pauses at a stall (R-STALL-01…04).
    open nonisolated var automaticallyWaitsToMinimizeStalling: Bool {
        get { read(.automaticallyWaitsToMinimizeStalling) { machine.waitsAutomatically } }
        set { turn { apply(.automaticWaitingSet(newValue)) } }
    }
    /// What happens at the end of an item. The default is `pause`; in a queue player `advance`, which is allowed only there (R-EOI-02).
    open nonisolated var actionAtItemEnd: ActionAtItemEnd {
        get { read(.actionAtItemEnd) { ActionAtItemEnd(machine.endAction) } }
        set {
            demand(newValue != .advance || self is AVQueuePlayer, "R-EOI-01: only an AVQueuePlayer can advance at the end of an item")
            turn {
                guard newValue.machineAction != machine.endAction else { return }
                catchUp()
                apply(.endActionSet(newValue.machineAction))
                postUpcoming()
            }
        }
    }

    /// Sets rate and position together, so that the item reaches `itemTime` at `hostTime` of `CMClock.hostTimeClock` (R-SYNC-02).
    ///
    /// If `itemTime` is not numeric, it is the current position. For a past `hostTime` the item seeks to where it would be by now; for a future one
    /// it waits at `itemTime`. If `hostTime` is not numeric, rate and position change together without synchronization.
    ///
    /// The known latency of the device is compensated; an error of more than 5 ms is corrected by a seek, at most eight times.
    /// `automaticallyWaitsToMinimizeStalling` must be false (R-SYNC-01).
    open nonisolated func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostTime: CMTime) {
        turn { carryOut([.rate, .timeControlStatus]) { beginSynced(rate, at: itemTime, hostTime) } }
    }

    // MARK: Seeking

    /// Seeks the current item to a position near `time`, which is `time` itself where the medium allows it (R-SEEK-01).
    @preconcurrency open nonisolated func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
        turn { begin(time, .positiveInfinity, .positiveInfinity, completionHandler) }
    }

    /// Seeks the current item to a position in `time − toleranceBefore … time + toleranceAfter`. If both tolerances are zero, the seek is exact to
    /// the sample (R-SEEK-01).
    ///
    /// The completion of a seek is called once, on the main queue. The argument of the completion is true when audio and `currentTime()` are at the
    /// new position. The argument is false if another seek or operation interrupted the seek, or if the position is not seekable (R-SEEK-02…08). A
    /// seek does not change the requested rate (R-SEEK-12).
    @preconcurrency open nonisolated func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void
    ) { turn { begin(time, toleranceBefore, toleranceAfter, completionHandler) } }

    /// Seeks the current item to a position near `time`, which is `time` itself where the medium allows it, without a completion.
    open nonisolated func seek(to time: CMTime) { turn { begin(time, .positiveInfinity, .positiveInfinity, nil) } }

    /// Seeks the current item to a position within the tolerances around `time`, without a completion.
    open nonisolated func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
        turn { begin(time, toleranceBefore, toleranceAfter, nil) }
    }

    /// Seeks the current item to a date. Returns false if the item does not map times to dates, or the date is outside the seekable
    /// ranges (R-SEEK-10).
    @discardableResult @preconcurrency open nonisolated func seek(
        to date: Date, completionHandler: @escaping @Sendable (Bool) -> Void = { _ in }
    ) -> Bool {
        turn {
            if let playingItem { return playingItem.seek(to: date, completionHandler: completionHandler) }
            Turn.enqueueOnMain { completionHandler(false) }
            return false
        }
    }

    // MARK: Time observers

    /// Calls `block` with the heard time at multiples of `interval` on the item's timeline, and at each jump, start and stop (R-PTO-01…11), also
    /// after the item was replaced.
    ///
    /// The block is called on `queue`, or the main queue; at most one call is pending, and calls never overlap (R-PTO-04). The caller keeps the
    /// returned token for `removeTimeObserver(_:)`; the release of the token removes the observer too. The interval must be numeric and positive.
    @preconcurrency open nonisolated func addPeriodicTimeObserver(
        forInterval interval: CMTime, queue: DispatchQueue? = nil, using block: @escaping @Sendable (CMTime) -> Void
    ) -> Any {
        demand(
            interval.isNumeric && interval.timescale > 0 && interval > .zero, "R-PTO-10: the interval of a periodic time observer must be positive")
        return add(.periodic(PeriodicGrid(interval: interval)), queue: queue, block)
    }

    /// Calls `block` when playback crosses one of `times` (R-BTO-01…09); a pause, a seek and a start there are no crossing. Times that are close
    /// together may share a call, so the block should read the current time. `times` must not be empty; times that are not numeric are ignored.
    @preconcurrency open nonisolated func addBoundaryTimeObserver(
        forTimes times: [CMTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        demand(!times.isEmpty, "R-BTO-02: a boundary time observer needs at least one time")
        return add(.boundary(BoundaryTimes(times: times)), queue: queue) { _ in block() }
    }

    /// The times are boxed in `NSValue`, as Apple's interface requires.
    @preconcurrency open nonisolated func addBoundaryTimeObserver(
        forTimes times: [NSValue], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> Any {
        demand(!times.isEmpty, "R-BTO-02: a boundary time observer needs at least one time")
        return add(.boundary(BoundaryTimes(times: times.map(\.timeValue))), queue: queue) { _ in block() }
    }

    private nonisolated func add(
        _ kind: TimeObservers.Kind, queue: DispatchQueue?, _ block: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        turn {
            catchUp()
            let call = TimeObserverCall(queue: queue, block: block)
            timeObservers.add(kind, call, at: position.reading(at: environment.clock.now).time)
            rearm()
            return TimeObserverToken(call: call)
        }
    }

    /// Removes an observer. No call starts afterwards, not even a pending one (R-RTO-01, R-RTO-04), apart from one that another thread is just about
    /// to start. The token is one that this player returned and that was not removed (R-RTO-03).
    open nonisolated func removeTimeObserver(_ observer: Any) {
        let token = observer as? TimeObserverToken
        turn {
            guard let token, timeObservers.remove(token.call) else {
                fatalError("R-RTO-03: the token is not a time observer of this player, or was already removed")
            }
            rearm()
        }
    }

    // MARK: Preroll

    /// Prepares playback, so that audio is heard immediately after `rate` is set; only at rate 0 and status `readyToPlay` (R-PREROLL-01). The
    /// completion is called once, on the main queue: with true when playback is prepared; with false if the position or the rate changed, or the
    /// preroll was cancelled, replaced or impossible.
    @preconcurrency open nonisolated func preroll(atRate rate: Float, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        let wanted = rate.isFinite && rate != 0 ? Double(rate) : Double.greatestFiniteMagnitude
        turn {
            demand(machine.rate == 0, "R-PREROLL-01: a preroll needs the rate 0")
            demand(playerStatus == .readyToPlay, "R-PREROLL-01: a preroll needs a player that is ready to play")
            catchUp()
            apply(.prerollCancelled)
            pendingPreroll = completionHandler
            if isShutDown { return completePreroll(false) }
            apply(.prerollRequested(wanted))
        }
    }

    /// Cancels the preroll in progress, whose completion gets false (R-PREROLL-01).
    open nonisolated func cancelPendingPrerolls() { turn { apply(.prerollCancelled) } }

    // MARK: Items

    /// Replaces the current item at once; the requested rate stays. The same item is no change (R-REPL-01, R-REPL-02).
    open nonisolated func replaceCurrentItem(with item: AVPlayerItem?) {
        turn { carryOut([.currentItem, .timeControlStatus]) { if item !== playingItem { replace(with: item) } } }
    }

    @Turn func replace(with item: AVPlayerItem?) {
        catchUp()
        item?.associate(with: self)
        let former = playingItem
        setCurrentItem(item, by: .loading)
        former?.dissociate()
    }

    /// Carries out a request of the program that sets the properties `keys`. Those that it leaves as they are are notified, too (R-KVO-07).
    @Turn private func carryOut(_ keys: [StateKey], _ request: () -> Void) {
        let (rate, status, item) = (machine.rate, TimeControlStatus(machine.status), playingItem)
        request()
        var same: [StateKey] = []
        if machine.rate == rate { same.append(.rate) }
        if TimeControlStatus(machine.status) == status { same.append(.timeControlStatus) }
        if playingItem === item { same.append(.currentItem) }
        hub.setAgain(same.filter(keys.contains))
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
