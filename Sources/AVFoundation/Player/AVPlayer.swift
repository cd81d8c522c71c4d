public import CoreMedia
public import Foundation
public import PlaybackEngine

/// Plays one item at a time. The vocabulary and the rules are Apple's; sound comes from the engine below.
///
/// Everything is on the main actor, and every observer is told there (R-KVO-08, J-13: Apple allows calls from any thread). The decisions are
/// `PlaybackMachine`'s; this class performs its effects. It can be observed with `observe(_:options:changeHandler:)` and `values(for:)`.
@preconcurrency @MainActor open class AVPlayer: KeyValueObserving {
    let hub = StateHub()
    /// What it was made with. Not in Apple's vocabulary.
    public nonisolated let environment: PlaybackEnvironment
    /// The audio session that its sound belongs to.
    package var session: AVAudioSession { environment.session ?? .sharedInstance() }
    /// What is heard of the current item, readable from any thread.
    package nonisolated let position: HeardPosition

    private(set) var machine: PlaybackMachine
    private var engine: EngineLease?
    private var isShutDown = false
    private(set) var playingItem: AVPlayerItem?
    private var playerStatus = Status.unknown
    private var gain: Float = 1
    private var isSilenced = false
    private var engineAlgorithm = PitchAlgorithm.timeDomain
    private var currentOutput: OutputDescription?

    var seeks = SeekCoordinator()
    var timeObservers = TimeObservers()
    /// The one timer: fires at the next moment at which something is to be noticed.
    private var timer: (any ScheduledAction)?
    /// The current item failed, and frames of it are still to be heard.
    var pendingFailure: PlaybackError?
    /// The upcoming items that the engine was told of last.
    private(set) var postedUpcoming: [ItemID] = []
    private var isCatchingUp = false

    // MARK: Making

    /// A player without an item.
    public convenience init() { self.init(playerItem: nil) }
    /// A player of `AVPlayerItem(url:)`.
    public convenience init(url: URL) { self.init(playerItem: AVPlayerItem(url: url)) }
    /// A player of an item that belongs to no other (R-ITEM-01).
    public convenience init(playerItem item: AVPlayerItem?) { self.init(playerItem: item, environment: .default) }

    /// A player in an environment of its own. Not in Apple's vocabulary.
    public convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        self.init(environment: environment, endAction: .pause)
        if let item { replaceCurrentItem(with: item) }
    }

    init(environment: PlaybackEnvironment, endAction: PlaybackMachine.EndAction) {
        self.environment = environment
        position = HeardPosition(hostClock: environment.clock)
        machine = PlaybackMachine(endAction: endAction)
        machine.achievableRates = environment.rates
        session.add(self)
    }

    /// Ends the engine's threads and closes the device; blocks until that is done, at most two seconds. The player plays nothing afterwards.
    /// Not in Apple's vocabulary, where players end when they are dropped (they do here too).
    public func shutDown() {
        guard !isShutDown else { return }
        MainTurn.perform {
            pause()
            cancelSeeks()
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
    /// Always nil: the engine goes on with the next output where one is lost (R-PSTAT-02).
    public var error: (any Error)? {
        hub.access(.error)
        return nil
    }
    /// The item that plays, or is to. Observable (R-CUR-01).
    public var currentItem: AVPlayerItem? {
        hub.access(.currentItem)
        return playingItem
    }
    /// The media time that is heard now. Zero without an item; where a seek landed once it has completed (R-ITEM-07, R-SEEK-11).
    public func currentTime() -> CMTime { position.now().time }

    /// Where sound goes; nil before the first output is open. Observable. Not in Apple's vocabulary.
    public var output: OutputDescription? {
        hub.access(.output)
        return currentOutput
    }

    /// 0…1, the gain of this player alone; what lies outside is clamped (R-VOL-01, R-VOL-02).
    public var volume: Float {
        get {
            hub.access(.volume)
            return gain
        }
        set {
            let clamped = newValue.isNaN ? gain : min(1, max(0, newValue))
            guard clamped != gain else { return }
            hub.change([.volume]) { gain = clamped }
            post(.setVolume(gain, isMuted: isSilenced))
        }
    }
    /// Independent of `volume` (R-VOL-01).
    public var isMuted: Bool {
        get {
            hub.access(.isMuted)
            return isSilenced
        }
        set {
            guard newValue != isSilenced else { return }
            hub.change([.isMuted]) { isSilenced = newValue }
            post(.setVolume(gain, isMuted: isSilenced))
        }
    }

    // MARK: Items

    /// Plays another item, or none. Acts at once; the same item is no change; the requested rate stays (R-REPL-01, R-REPL-02).
    open func replaceCurrentItem(with item: AVPlayerItem?) {
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

    /// How another item comes to the engine.
    enum Transition {
        /// The engine has joined it and it is being heard.
        case joined
        /// The engine knows it as the first upcoming one and will join it as soon as it is open.
        case awaited
        /// The engine knows it as the first upcoming one and goes to it at once.
        case advancing
        case loading
    }

    func setCurrentItem(_ item: AVPlayerItem?, by transition: Transition) {
        MainTurn.perform {
            // R-REPL-03: what waits for the old item hears of its end first.
            cancelSeeks()
            pendingFailure = nil
            let formerLevel = playingItem?.bufferLevel
            if case .joined = transition, item?.bufferLevel == nil { item?.bufferLevel = formerLevel }
            position.setRule(HeardPosition.Rule(item: item?.engineID, rest: item?.pendingStart ?? .zero, landedSeek: seeks.newest))
            hub.change([.currentItem]) { playingItem = item }
            timeObservers.jump(to: item?.pendingStart ?? .zero)
            guard let item else {
                apply(.itemChanged(nil))
                post(.unload)
                postedUpcoming = []
                return
            }
            let isJoined = if case .joined = transition { true } else { false }
            if !isJoined { item.bufferLevel = nil }
            apply(.itemChanged(machineItem(item), keepsFlowing: isJoined))
            switch transition {
            case .joined, .awaited: break
            case .advancing: post(.advance)
            case .loading: load(item)
            }
            pitchAlgorithmDidChange(of: item)
            postUpcoming(always: true)
            if item.status == .readyToPlay { beginAtPendingStart(item) }
        }
    }

    private func machineItem(_ item: AVPlayerItem) -> PlaybackMachine.Item {
        let phase: PlaybackMachine.Item.Phase =
            switch item.status {
            case .unknown: .loading
            case .readyToPlay: .ready
            case .failed: .failed
            }
        return PlaybackMachine.Item(id: item.engineID, phase: phase, canReverse: item.canPlayReverse, buffer: item.bufferLevel)
    }

    private func load(_ item: AVPlayerItem) {
        startEngine()
        postedUpcoming = []
        guard item.status != .failed else { return post(.unload) }
        guard let request = item.loadRequest() else {
            post(.unload)
            return failLater(item)
        }
        post(.load(request))
    }

    /// An item whose URL can never be opened fails like one that cannot be opened now: in a later turn.
    private func failLater(_ item: AVPlayerItem) {
        let error = item.asset.sourceError ?? PlaybackError(.unknown, "There is nothing to open.")
        let id = item.engineID
        environment.scheduler.async { [weak self] in self?.handle(.failed(id, error)) }
    }

    /// Tells the engine what follows.
    func postUpcoming(always: Bool = false) {
        guard engine != nil, let current = playingItem?.engineID else { return }
        // Behind an item that failed the engine joins nothing.
        let items = playingItem?.status == .failed ? [] : upcomingItems().filter { $0.status != .failed }
        guard always || items.map(\.engineID) != postedUpcoming else { return }
        var requests: [LoadRequest] = []
        for item in items {
            if let request = item.loadRequest() { requests.append(request) } else { failLater(item) }
        }
        let ids = requests.map(\.item)
        if ids.isEmpty, postedUpcoming.isEmpty { return }
        postedUpcoming = ids
        post(.setUpcoming(requests, after: current))
    }

    /// The start or the end of an item was set after the engine had been told of it.
    func requestDidChange(of item: AVPlayerItem) {
        guard engine != nil else { return }
        if item === playingItem {
            reload(item, at: currentTime())
        } else if postedUpcoming.contains(item.engineID) {
            item.renewEngineID()
            postUpcoming()
        }
    }

    /// Opens the current item anew at a time: everything about it stays, sound goes on when there is some.
    private func reload(_ item: AVPlayerItem, at time: CMTime) {
        MainTurn.perform {
            cancelSeeks()
            item.setPendingStart(time, completion: nil)
            item.renewEngineID()
            item.bufferLevel = nil
            position.setRule(HeardPosition.Rule(item: item.engineID, rest: time, landedSeek: seeks.newest))
            apply(.itemChanged(machineItem(item)))
            load(item)
            postUpcoming(always: true)
        }
    }

    func pitchAlgorithmDidChange(of item: AVPlayerItem) {
        let wanted = item.audioTimePitchAlgorithm.engineAlgorithm
        guard item === playingItem, wanted != engineAlgorithm else { return }
        engineAlgorithm = wanted
        post(.setPitchAlgorithm(wanted))
    }

    /// What is heard of an item, nil unless it is the current one.
    func time(of item: AVPlayerItem) -> CMTime? { item === playingItem ? currentTime() : nil }

    // MARK: The engine

    /// The engine's clock, nil before the first item.
    var clock: PlaybackClock? { engine?.engine.clock }

    func post(_ command: EngineCommand) { engine?.engine.post(command) }

    /// Starts the engine where it has not been: with the first item.
    func startEngine() {
        guard engine == nil, !isShutDown else { return }
        let scheduler = environment.scheduler
        let started = environment.engineHost.start(opener: environment.opener, outputs: environment.outputs) { [weak self] event in
            scheduler.async { [weak self] in self?.handle(event) }
        }
        engine = EngineLease(started)
        position.setClock(started.clock)
        if gain != 1 || isSilenced { post(.setVolume(gain, isMuted: isSilenced)) }
        if playerStatus == .unknown { hub.change([.status]) { playerStatus = .readyToPlay } }
    }

    // MARK: For what stands above

    /// The rate asked for, in full precision.
    package var requestedRate: Double {
        get {
            hub.access(.rate)
            return machine.rate
        }
        set {
            MainTurn.perform {
                catchUp()
                apply(.rateRequested(newValue))
            }
        }
    }
    /// `defaultRate` in full precision.
    package var requestedDefaultRate: Double {
        get {
            hub.access(.defaultRate)
            return machine.defaultRate
        }
        set {
            if newValue != machine.defaultRate { apply(.defaultRateSet(newValue)) }
        }
    }
    /// The current item's end has been heard, and nothing has moved it since.
    package var isAtEnd: Bool { machine.item?.isAtEnd ?? false }
    /// A seek is on its way.
    package var isSeeking: Bool { seeks.pending != nil }
    /// Called after whatever may have changed how the heard position moves.
    package var motionMayHaveChanged: (() -> Void)?

    /// How the heard position moves from now on: at `hostTime`, which may lie a little ahead where sound is on its way, it is at `time`, and it
    /// moves at `rate`, until the next discontinuity.
    package func motion() -> (time: CMTime, hostTime: HostTime, rate: Double) {
        let instant = position.now()
        let resting = (instant.time, instant.hostTime, 0.0)
        guard machine.isFlowing else { return resting }
        if machine.isPastEnd { return (instant.time, instant.hostTime, instant.rate) }
        guard let clock, clock.isRunning, let item = playingItem else { return resting }
        let timeline = clock.timeline
        let own = timeline.segments.filter { $0.item == item.engineID && ($0.end ?? Int64.max) > position.rule.floor }
        guard let newest = own.last else { return resting }
        let frame = max(instant.frame, newest.start)
        guard frame < newest.end ?? Int64.max, frame < timeline.written, let heard = clock.hostTime(ofFrame: frame) else { return resting }
        return (timeline.time(ofMediaFrame: newest.mediaFrame(at: frame)), heard, newest.rate)
    }

    /// Asks the engine to look for a better output than the one it has. Not in Apple's vocabulary.
    public func reselectOutput() { post(.reselectOutput) }
    /// Moves to the first of these outputs that opens, keeping the position. Not in Apple's vocabulary.
    public func setOutputs(_ outputs: [any OutputProvider]) { post(.setOutputs(outputs)) }

    func handle(_ event: EngineEvent) {
        guard !isShutDown else { return }
        MainTurn.perform {
            switch event {
            case .opened(let id, let info): opened(id, info)
            case .failed(let id, let error): failed(id, error)
            case .timelineChanged: break
            case .bufferChanged(let id, let level):
                if let item = ownItem(id) { bufferChanged(item, level) }
            case .seekCompleted(let seek, let id, let landed):
                if playingItem?.engineID == id { seekCompleted(seek, landed: landed) }
            case .seekFailed(let seek, let id, _):
                if playingItem?.engineID == id { seekFailed(seek) }
            case .durationChanged(let id, let duration): ownItem(id)?.durationChanged(duration)
            case .outputChanged(let description, _):
                if description != currentOutput { hub.change([.output]) { currentOutput = description } }
            case .outputFailed:
                apply(.outputFailed)
            case .packetsSkipped: break
            }
            catchUp()
            rearm()
        }
    }

    func ownItem(_ id: ItemID) -> AVPlayerItem? { ownItems().first { $0.engineID == id } }

    private func opened(_ id: ItemID, _ info: MediaInfo) {
        guard let item = ownItem(id) else { return }
        item.engineOpened(info)
        if item.status == .failed { return didFail(item) }
        guard item === playingItem else { return }
        beginAtPendingStart(item)
        postPendingSeek()
        apply(.itemReady(id, canReverse: item.canPlayReverse))
    }

    private func beginAtPendingStart(_ item: AVPlayerItem) {
        guard item.pendingStart != .zero else { return item.completeStart(true) }
        if item.canSeek(to: item.pendingStart) { return item.completeStart(true) }
        // It cannot begin there after all (R-SEEK-08): at the start, then.
        item.setPendingStart(.zero, completion: nil)
        reload(item, at: .zero)
    }

    private func failed(_ id: ItemID, _ error: PlaybackError) {
        guard let item = ownItem(id) else { return }
        if item === playingItem, item.status == .readyToPlay, hasUnheard(item) {
            // What has been rendered is still heard, also where playing has not begun (R-EOI-07): more than there is will not come.
            pendingFailure = error
            bufferChanged(item, item.bufferLevel ?? BufferLevel(seconds: 0, isEmpty: false, isFull: true, isLikelyToKeepUp: false))
            return
        }
        item.engineFailed(error)
        didFail(item)
    }

    private func hasUnheard(_ item: AVPlayerItem) -> Bool {
        guard let clock, !machine.isPastEnd, seeks.pending?.isPosted != true else { return false }
        let heard = clock.now().frame
        return clock.timeline.segments.contains { $0.item == item.engineID && ($0.end ?? clock.timeline.written) > max(heard, position.rule.floor) }
    }

    private func bufferChanged(_ item: AVPlayerItem, _ told: BufferLevel) {
        var level = told
        if item === playingItem, pendingFailure != nil { (level.isEmpty, level.isFull) = (false, true) }
        item.bufferChanged(level)
        if item === playingItem { apply(.bufferChanged(item.engineID, level)) }
    }

    /// An item has failed, and has said so (R-QUEUE-07).
    private func didFail(_ item: AVPlayerItem) {
        guard item === playingItem else { return upcomingItemFailed(item) }
        cancelSeeks()
        apply(.itemFailed(item.engineID, isSkipped: skipsFailedItems))
    }

    // MARK: Decisions and effects

    /// Lets the machine decide, publishes what changed, and performs the effects (R-EOI-05: rate, status, then notifications).
    func apply(_ event: PlaybackMachine.Event) {
        guard !isShutDown else { return }
        MainTurn.perform {
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
            rearm()
        }
    }

    private func perform(_ effect: PlaybackMachine.Effect) {
        switch effect {
        case .setEngineRunning(let isRunning):
            if isRunning { session.playbackDidBegin() }
            post(.setRunning(isRunning))
        case .setEngineRate(let rate): post(.setRate(rate))
        case .postRateDidChange(let reason): postRateDidChange(reason)
        case .postStalled: playingItem?.post(AVPlayerItem.playbackStalledNotification)
        case .postDidPlayToEnd: playingItem?.post(AVPlayerItem.didPlayToEndTimeNotification)
        case .postFailedToPlayToEnd:
            var userInfo: [AnyHashable: Any] = [:]
            userInfo[AVPlayerItemFailedToPlayToEndTimeErrorKey] = playingItem?.error
            playingItem?.post(AVPlayerItem.failedToPlayToEndTimeNotification, userInfo: userInfo)
        case .advance: goToNext(isNatural: playingItem?.status != .failed || isFollowerHeard)
        case .countPastEnd:
            var rule = position.rule
            rule.counting = (since: environment.clock.now, rate: machine.rate)
            position.setRule(rule)
        }
    }

    // MARK: What is heard

    /// Lets everything happen that has been heard by now: time observers, the end of the item, a stall.
    func catchUp() {
        guard !isCatchingUp, !isShutDown else { return }
        isCatchingUp = true
        MainTurn.perform {
            while let item = playingItem, machine.isFlowing, let clock, notice(item, clock) {}
            flushTimeObservers()
        }
        isCatchingUp = false
    }

    /// Notices one thing that has been heard; false where nothing is left to notice.
    private func notice(_ item: AVPlayerItem, _ clock: PlaybackClock) -> Bool {
        let now = environment.clock.now
        if machine.isPastEnd {
            timeObservers.advance(to: position.reading(at: now).time, at: now)
            return false
        }
        let instant = clock.reading(at: now)
        let watch = heardWatch(item, clock.timeline, heard: instant.frame)
        timeObservers.advance(to: position.reading(at: now).time, at: now)
        switch watch.reached {
        case .end:
            // A seek is on its way: it decides where the item goes on (R-QUEUE-11).
            if seeks.pending?.isPosted == true, instant.item == item.engineID { return false }
            return endHeard(item)
        case .other(let follower):
            if breakOff(item) { return true }
            // The follower was opened before it was joined; that news comes first.
            guard ownItem(follower)?.status == .readyToPlay else { return false }
            return endHeard(item)
        case .dry:
            if breakOff(item) { return true }
            guard let level = item.bufferLevel, !level.isLikelyToKeepUp, !level.isFull, clock.isRunning || level.isEmpty, seeks.pending == nil else { return false }
            apply(.ranDry)
            return false
        case nil: return false
        }
    }

    /// What was rendered of an item before it broke has been heard: now it has failed.
    private func breakOff(_ item: AVPlayerItem) -> Bool {
        guard let error = pendingFailure else { return false }
        pendingFailure = nil
        item.engineFailed(error)
        didFail(item)
        return true
    }

    private func heardWatch(_ item: AVPlayerItem, _ timeline: Timeline, heard: Int64) -> HeardWatch {
        HeardWatch(timeline, item: item.engineID, floor: position.rule.floor, heard: heard, followers: postedUpcoming)
    }

    private func endHeard(_ item: AVPlayerItem) -> Bool {
        if let clock, isFollowerHeard, !followerIsReady(clock) { return false }
        let end = position.now().time
        item.correctDuration(toEnd: end)
        var rule = position.rule
        rule.rest = end
        rule.isHeld = true
        position.setRule(rule)
        // R-BTO-07: a boundary at the very end comes before the end; a periodic call at the end is the one for the stop.
        flushTimeObservers(onlyBoundaries: true)
        apply(.endHeard)
        return playingItem !== item
    }

    /// The engine is already playing an item that was joined.
    private var isFollowerHeard: Bool { clock?.now().item.map(postedUpcoming.contains) ?? false }
    private func followerIsReady(_ clock: PlaybackClock) -> Bool { clock.now().item.flatMap(ownItem)?.status == .readyToPlay }

    func flushTimeObservers(onlyBoundaries: Bool = false) {
        guard !timeObservers.isEmpty else { return }
        guard playingItem != nil else { return timeObservers.calm() }
        let instant = position.now()
        timeObservers.flush(time: instant.time, at: instant.hostTime, onlyBoundaries: onlyBoundaries)
    }

    /// Arms the timer for the next moment at which something will have been heard; nothing while nothing moves.
    func rearm() {
        timer?.cancel()
        timer = nil
        flushTimeObservers()
        motionMayHaveChanged?()
        guard let item = playingItem, machine.isFlowing, !isShutDown, let next = nextMark(item) else { return }
        // A mark that lies in the past was looked at just now: the device's clock is a little behind its forecast.
        let earliest = environment.clock.now + 0.0005
        timer = environment.scheduler.schedule(at: max(next, earliest)) { [weak self] in
            guard let self else { return }
            timer = nil
            MainTurn.perform {
                self.catchUp()
                self.rearm()
            }
        }
    }

    private func nextMark(_ item: AVPlayerItem) -> HostTime? {
        let instant = position.now()
        let isForward = machine.rate > 0
        let rate = Double(instant.time.timescale)
        if machine.isPastEnd {
            return timeObservers.nextMark(after: instant.time, forward: isForward, sampleRate: Int(rate)) { frame in
                instant.hostTime + (frame - Double(instant.time.value)) / rate / self.machine.rate
            }
        }
        guard let clock else { return nil }
        // Until the device runs nothing can be foretold; the engine tells when it does, and this is the net below.
        guard clock.isRunning else { return instant.hostTime + 0.05 }
        let timeline = clock.timeline
        // A forecast is rounded up: at the mark the frame has been reached.
        func hostTime(_ frame: Int64) -> HostTime? { clock.hostTime(ofFrame: frame).map { HostTime(nanoseconds: $0.nanoseconds + 2) } }
        var marks: [HostTime] = []
        let watch = heardWatch(item, timeline, heard: clock.reading(at: instant.hostTime).frame)
        let isSufficient = item.bufferLevel.map { $0.isLikelyToKeepUp || $0.isFull } ?? false
        if let frame = watch.nextFrame, frame != timeline.written || !isSufficient || pendingFailure != nil || hasEnd(timeline, at: frame),
            let mark = hostTime(frame)
        {
            marks.append(mark)
        }
        if watch.reached != nil { marks.append(instant.hostTime + 0.02) }
        let observed = timeObservers.nextMark(after: instant.time, forward: isForward, sampleRate: timeline.sampleRate) { media in
            for segment in timeline.segments where segment.item == item.engineID {
                guard let frame = segment.outputFrame(ofMedia: media), frame <= segment.end ?? Int64.max, frame > instant.frame else { continue }
                return hostTime(frame)
            }
            return nil
        }
        if let observed { marks.append(observed) }
        return marks.min()
    }

    private func hasEnd(_ timeline: Timeline, at frame: Int64) -> Bool { timeline.segments.contains { $0.end == frame } }
}

extension AVPlayer: Hashable {
    /// Players are equal when they are the same object.
    public nonisolated static func == (a: AVPlayer, b: AVPlayer) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Owns a running engine: ends it in the background when its player is dropped.
private final class EngineLease: Sendable {
    let engine: any EngineHandle
    init(_ engine: any EngineHandle) { self.engine = engine }
    deinit {
        let engine = engine
        DispatchQueue.global().async { engine.shutDown() }
    }
}
