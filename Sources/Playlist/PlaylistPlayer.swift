public import AVFoundation
import CoreMedia
import Foundation
public import PlaybackEngine
import Synchronization

/// The playlist, played: feeds an `AVQueuePlayer` the current entry and the ones that follow, and tells one `PlayerState`.
///
/// When the last entry ends it stays current, paused, `ended`; `play` starts it again. An entry that fails is skipped where another follows, and stays
/// current, paused, with its error where none does.
@MainActor public final class PlaylistPlayer: RemotePlayer {
    /// Entries that the queue player has beyond the current one: more than one, for entries shorter than the device's buffer.
    private static let lookahead = 3
    /// The anchor is corrected where what is heard differs from what it foretells by more than this, seconds.
    private static let anchorTolerance = 0.010
    /// How often that is looked at while time moves, seconds.
    private static let anchorCheckPeriod = 10.0

    /// An entry's item inside the queue player.
    final class Queued {
        let entryID: String
        let item: AVPlayerItem
        var tokens: [NSKeyValueObservation] = []
        init(entryID: String, item: AVPlayerItem) {
            self.entryID = entryID
            self.item = item
        }
    }

    /// The queue player, for settings that the commands do not have (outputs).
    public let player: AVQueuePlayer
    public private(set) var playlist: PlaylistMachine
    public var stateDidChange: ((PlayerState) -> Void)?
    public var eventDidOccur: ((PlayerEvent) -> Void)?

    let environment: PlaybackEnvironment
    private nonisolated let position: HeardPosition
    private nonisolated let artworks = Mutex<[String: Artwork]>([:])

    /// What the queue player has, in its order, the current one first.
    private var queued: [Queued] = []
    /// Entries that could not be played: passed over until somebody asks for them.
    private var failures: [String: PlayerState.Failure] = [:]
    private var tokens: [NSKeyValueObservation] = []
    private var notifications: [NotificationObserver] = []
    private var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    private var nextWaiter = 0

    // Settings that the player has in another shape.
    private var volume = 1.0
    private var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    // The state as told last.
    private var published: PlayerState
    private var cause = PlayerState.Change(reason: PlayerState.Reason.none.rawValue, origin: "player")
    /// The client whose command is being carried out.
    private var origin: String?
    private var isUpdateScheduled = false
    /// Time has jumped: the anchor is taken anew, however little it moved.
    private var isAnchorStale = false
    private var anchorCheck: (any ScheduledAction)?

    /// A player with an empty playlist.
    /// - Parameter seed: of the shuffle.
    public init(environment: PlaybackEnvironment = .default, seed: UInt64 = .random(in: 0 ... .max)) {
        self.environment = environment
        playlist = PlaylistMachine(seed: seed)
        player = AVQueuePlayer(items: [], environment: environment)
        position = player.position
        published = PlayerState()
        player.keepsLastFailedItem = true
        // What is played here is what the category means (R-SES-03).
        do { try player.session.setCategory(.playback) } catch { preconditionFailure("R-SES-10: playback allows the default mode: \(error)") }
        published = deriveState()
        published.lastChange = cause
        observePlayer()
    }

    /// Stops the engine and closes the device; blocks, at most two seconds. Nothing plays afterwards.
    public func shutDown() {
        anchorCheck?.cancel()
        anchorCheck = nil
        for waiter in takeWaiters({ _ in true }) { waiter(nil) }
        player.shutDown()
    }

    // MARK: Observing the player

    private func observePlayer() {
        tokens = [
            player.observe(\.timeControlStatus) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observe(\.reasonForWaitingToPlay) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observe(\.currentItem) { [weak self] _, _ in self?.currentItemDidChange() },
            player.observe(\.status) { [weak self] _, _ in self?.note(.itemLoaded) },
            player.observe(\.output) { [weak self] _, _ in self?.note(.outputChanged) },
            player.session.observe(\.category) { [weak self] _, _ in self?.note(.sessionChanged) },
            player.session.observe(\.isActive) { [weak self] _, _ in self?.note(.sessionChanged, onlyOwn: true) },
            player.session.observe(\.isInterrupted) { [weak self] _, _ in self?.note(.sessionChanged, onlyOwn: true) },
        ]
        player.motionMayHaveChanged = { [weak self] in self?.scheduleUpdate() }
        notifications = [
            NotificationObserver(AVPlayer.rateDidChangeNotification, player) { [weak self] in
                self?.rateDidChange($0[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason)
            }
        ]
    }

    private func rateDidChange(_ reason: AVPlayer.RateDidChangeReason?) {
        let known: PlayerState.Reason =
            switch reason {
            case .setRateCalled: .setRateCalled
            case .setRateFailed: .setRateFailed
            case .audioSessionInterrupted: .audioSessionInterrupted
            case .appBackgrounded: .appBackgrounded
            default: .none
            }
        // The end of an item and a stall have told their own cause, or will.
        if known != .none { note(known) } else { scheduleUpdate() }
        eventDidOccur?(.rateDidChange(rate: player.requestedRate, reason: known.rawValue, origin: origin ?? "player"))
    }

    private func statusDidChange(_ player: AVPlayer) {
        switch player.reasonForWaitingToPlay {
        case .toMinimizeStalls: note(.toMinimizeStalls, onlyOwn: true)
        case .evaluatingBufferingRate: note(.evaluatingBufferingRate, onlyOwn: true)
        case .noItemToPlay: note(.noItemToPlay, onlyOwn: true)
        default: player.timeControlStatus == .playing ? note(.playing, onlyOwn: true) : scheduleUpdate()
        }
    }

    /// Watches an item for as long as it is queued.
    private func observe(_ queued: Queued) {
        let item = queued.item
        queued.tokens = [
            item.observe(\.status) { [weak self, weak queued] item, _ in
                guard let self, let queued else { return }
                if item.status == .failed { itemDidFail(queued) } else { itemDidLoad(queued) }
                note(item.status == .failed ? .itemFailed : .itemLoaded, onlyOwn: true)
            },
            item.observe(\.duration) { [weak self] _, _ in self?.note(.itemLoaded, onlyOwn: true) },
        ]
        let id = queued.entryID
        notifications += [
            NotificationObserver(AVPlayerItem.didPlayToEndTimeNotification, item) { [weak self] _ in
                self?.note(.didPlayToEndTime)
                self?.eventDidOccur?(.didPlayToEndTime(itemID: id))
            },
            NotificationObserver(AVPlayerItem.failedToPlayToEndTimeNotification, item) { [weak self, weak item] _ in
                guard let failure = item?.error.map(PlayerState.Failure.init(describing:)) else { return }
                self?.eventDidOccur?(.failedToPlayToEndTime(itemID: id, failure))
            },
            NotificationObserver(AVPlayerItem.playbackStalledNotification, item) { [weak self] _ in
                self?.note(.playbackStalled)
                self?.eventDidOccur?(.playbackStalled(itemID: id))
            },
            NotificationObserver(AVPlayerItem.timeJumpedNotification, item) { [weak self] _ in
                guard let self else { return }
                isAnchorStale = true
                note(.seek, onlyOwn: true)
                eventDidOccur?(.timeJumped(itemID: id, time: player.currentTime().seconds))
            },
        ]
    }

    private func itemDidLoad(_ queued: Queued) {
        if let artwork = queued.item.mediaInfo?.artwork { artworks.withLock { $0[queued.entryID] = artwork } }
    }

    private func itemDidFail(_ failed: Queued) {
        failures[failed.entryID] = failed.item.error.map(PlayerState.Failure.init(describing:))
        guard failed.item !== player.currentItem, failed !== queued.first else { return }
        drop([failed])
        feed()
    }

    /// The entries that follow by themselves, without those that failed.
    func following(_ count: Int) -> [PlaylistEntry] {
        Array(playlist.upcoming(count + failures.count).lazy.filter { self.failures[$0.id] == nil }.prefix(count))
    }

    /// Somebody asks for an entry: it is tried again.
    func forgetFailure(of id: String) { failures[id] = nil }

    /// The queue player went on by itself, or was sent: the playlist follows.
    private func currentItemDidChange() {
        isAnchorStale = true
        guard let current = player.currentItem, let at = queued.firstIndex(where: { $0.item === current }) else {
            if player.currentItem == nil { drop(queued) }
            return scheduleUpdate()
        }
        drop(Array(queued[..<at]))
        if playlist.currentID != queued[0].entryID || at > 0 {
            playlist.go(to: queued[0].entryID)
            note(.itemAdvanced, onlyOwn: true)
        }
        feed()
    }

    private func drop(_ gone: [Queued]) {
        guard !gone.isEmpty else { return }
        queued.removeAll { entry in gone.contains { $0 === entry } }
        notifications.removeAll { observer in gone.contains { $0.item === observer.object } }
    }

    // MARK: Feeding the queue player

    func makeQueued(_ entry: PlaylistEntry) -> Queued {
        let item = AVPlayerItem(asset: AVAsset(source: entry.spec.source, environment: environment))
        item.audioTimePitchAlgorithm = pitchAlgorithm
        let new = Queued(entryID: entry.id, item: item)
        observe(new)
        return new
    }

    /// Makes an entry's fresh item current, beginning at `start`; the requested rate stays.
    func load(_ entry: PlaylistEntry, startTime: Double? = nil) {
        let new = makeQueued(entry)
        if let startTime, startTime > 0 { new.item.seek(to: CMTime(remoteSeconds: startTime), toleranceBefore: .zero, toleranceAfter: .zero) }
        let former = queued
        queued = [new]
        for follower in former.dropFirst() { player.remove(follower.item) }
        if player.currentItem == nil { player.insert(new.item, after: nil) } else { player.replaceCurrentItem(with: new.item) }
        notifications.removeAll { observer in former.contains { $0.item === observer.object } }
        feed()
    }

    /// Gives the queue player what follows the current entry, and says what is to happen at its end.
    func feed() {
        guard let first = queued.first else { return }
        let wanted = actionAtItemEnd == .advance ? following(Self.lookahead) : []
        var kept = 0
        while kept + 1 < queued.count, kept < wanted.count, queued[kept + 1].entryID == wanted[kept].id,
            queued[kept + 1].item.status != .failed
        {
            kept += 1
        }
        let surplus = Array(queued[(kept + 1)...])
        for entry in surplus { player.remove(entry.item) }
        drop(surplus)
        var last = queued.last ?? first
        for entry in wanted.dropFirst(kept) {
            let new = makeQueued(entry)
            guard player.canInsert(new.item, after: last.item) else { continue }
            queued.append(new)
            player.insert(new.item, after: last.item)
            last = new
        }
        let action: AVPlayer.ActionAtItemEnd = actionAtItemEnd == .advance && queued.count < 2 ? .pause : actionAtItemEnd
        if player.actionAtItemEnd != action { player.actionAtItemEnd = action }
        scheduleUpdate()
    }

    /// Empties the queue player.
    func unload() {
        drop(queued)
        player.removeAllItems()
    }

    // MARK: The playlist

    /// Changes the playlist; artwork of entries that are gone is forgotten.
    func edit<Result>(_ body: (inout PlaylistMachine) -> Result) -> Result {
        let result = body(&playlist)
        let ids = Set(playlist.entries.map(\.id))
        artworks.withLock { artworks in artworks = artworks.filter { ids.contains($0.key) } }
        failures = failures.filter { ids.contains($0.key) }
        return result
    }

    var currentQueued: Queued? { queued.first }
    func isNextQueued(_ entry: PlaylistEntry) -> Bool { queued.count > 1 && queued[1].entryID == entry.id }

    /// A client's seek has landed.
    func noteSeek(by client: String) { cause = PlayerState.Change(reason: PlayerState.Reason.seek.rawValue, origin: client) }

    func setVolume(_ newVolume: Double) {
        volume = newVolume
        player.volume = Float(newVolume)
    }

    func setActionAtItemEnd(_ action: AVPlayer.ActionAtItemEnd) {
        actionAtItemEnd = action
        feed()
        if queued.isEmpty { player.actionAtItemEnd = action }
    }

    func setPitchAlgorithm(_ algorithm: AVAudioTimePitchAlgorithm) {
        pitchAlgorithm = algorithm
        for entry in queued { entry.item.audioTimePitchAlgorithm = algorithm }
    }

    // MARK: Commands

    public func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        guard case .seek(let seek) = command else { return try carryOut(command, origin: origin) }
        return try await perform(seek, origin: origin)
    }

    /// Runs what a client asked for: what changes meanwhile is its doing, and is told before this returns.
    func acting<Result>(for client: String, _ reason: PlayerState.Reason, _ body: () throws(PlayerRefusal) -> Result) throws(PlayerRefusal) -> Result {
        origin = client
        cause = PlayerState.Change(reason: reason.rawValue, origin: client)
        defer {
            origin = nil
            update()
        }
        return try body()
    }

    // MARK: State

    public var state: PlayerState {
        var state = deriveState()
        state.lastChange = state == withLastChange(published, state.lastChange) ? published.lastChange : cause
        return state
    }

    private func withLastChange(_ state: PlayerState, _ change: PlayerState.Change) -> PlayerState {
        var copy = state
        copy.lastChange = change
        return copy
    }

    /// Something changed for this reason. Inside a command the command's own reason stays; `onlyOwn` then says that it is a consequence of it.
    func note(_ reason: PlayerState.Reason, onlyOwn: Bool = false) {
        if origin == nil {
            // What happens by itself in one turn: the first cause counts, not its consequences.
            if !(onlyOwn && isUpdateScheduled && cause.reason != PlayerState.Reason.none.rawValue) {
                cause = PlayerState.Change(reason: reason.rawValue, origin: "player")
            }
        } else if !onlyOwn, let origin {
            cause = PlayerState.Change(reason: reason.rawValue, origin: origin)
        }
        scheduleUpdate()
    }

    /// Tells the state once this turn is over.
    private func scheduleUpdate() {
        guard !isUpdateScheduled, origin == nil else { return }
        isUpdateScheduled = true
        environment.scheduler.async { [weak self] in
            guard let self, isUpdateScheduled else { return }
            update()
        }
    }

    /// Tells the state where it has changed.
    func update() {
        isUpdateScheduled = false
        let new = deriveState()
        let told = withLastChange(published, new.lastChange)
        if new != told {
            if new.anchor != told.anchor, cause.reason == PlayerState.Reason.none.rawValue {
                let reason: PlayerState.Reason = new.anchor.rate != told.anchor.rate && new.anchor.rate != 0 ? .playing : .clockCorrected
                cause = PlayerState.Change(reason: reason.rawValue, origin: "player")
            }
            isAnchorStale = false
            published = withLastChange(new, cause)
            stateDidChange?(published)
        }
        cause = PlayerState.Change(reason: PlayerState.Reason.none.rawValue, origin: "player")
        answerWaiters()
        armAnchorCheck()
    }

    private func deriveState() -> PlayerState {
        var state = PlayerState()
        state.status = player.status.remoteName
        state.rate = player.requestedRate
        state.defaultRate = player.requestedDefaultRate
        state.timeControlStatus = player.timeControlStatus.remoteName
        state.reasonForWaitingToPlay = player.reasonForWaitingToPlay?.remoteName ?? "none"
        state.ended = hasEnded
        state.anchor = deriveAnchor()
        state.volume = volume
        state.isMuted = player.isMuted
        state.automaticallyWaitsToMinimizeStalling = player.automaticallyWaitsToMinimizeStalling
        state.actionAtItemEnd = actionAtItemEnd.remoteName
        state.audioTimePitchAlgorithm = pitchAlgorithm.remoteName
        state.repeatMode = playlist.repeatMode.rawValue
        state.isShuffled = playlist.isShuffled
        if let output = player.output { state.output = PlayerState.Output(kind: output.kind, id: output.id, name: output.name) }
        state.session = PlayerState.Session(
            category: player.session.category.remoteName, isActive: player.session.isActive, isInterrupted: player.session.isInterrupted)
        state.playlist = PlayerState.PlaylistSummary(
            revision: playlist.revision, count: playlist.entries.count, index: playlist.currentIndex ?? -1)
        state.currentItem = playlist.currentID.flatMap(knownItem)
        return state
    }

    /// The last entry has been heard to its end.
    var hasEnded: Bool { player.isAtEnd && player.requestedRate == 0 && following(1).isEmpty }

    // MARK: The anchor

    /// The anchor as told, for as long as it foretells what is heard.
    private func deriveAnchor() -> PlayerState.Anchor {
        let motion = player.motion()
        let new = PlayerState.Anchor(time: max(0, motion.time.seconds), hostTime: motion.hostTime.seconds, rate: motion.rate)
        let old = published.anchor
        guard old.rate == new.rate else { return new }
        // A seek on its way: its landing is told once, by itself.
        if player.isSeeking { return old }
        let foretold = old.time + (new.hostTime - old.hostTime) * old.rate
        let isMoving = new.rate != 0
        return abs(foretold - new.time) <= (isMoving && !isAnchorStale ? Self.anchorTolerance : 0) ? old : new
    }

    private func armAnchorCheck() {
        guard published.anchor.rate != 0 else {
            anchorCheck?.cancel()
            anchorCheck = nil
            return
        }
        guard anchorCheck == nil else { return }
        anchorCheck = environment.scheduler.schedule(at: environment.clock.now + Self.anchorCheckPeriod) { [weak self] in
            self?.anchorCheck = nil
            self?.update()
        }
    }

    // MARK: Waiting, observing, reading

    public func waitUntilLoaded(itemID: String) async -> PlayerState.Item? {
        if let item = loadedItem(itemID) { return item.value }
        let number = nextWaiter
        nextWaiter += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: knownItem(itemID)) }
                waiters[number] = (itemID, { continuation.resume(returning: $0) })
            }
        } onCancel: {
            Task { @MainActor in
                guard let waiter = self.waiters.removeValue(forKey: number) else { return }
                waiter.resume(self.knownItem(itemID))
            }
        }
    }

    /// The item where there is nothing to wait for any more: `value` is nil where it is gone.
    private func loadedItem(_ id: String) -> (value: PlayerState.Item?, Void)? {
        guard playlist.currentID == id, let item = published.currentItem, item.id == id else { return (knownItem(id), ()) }
        return item.status == "unknown" ? nil : (item, ())
    }

    private func knownItem(_ id: String) -> PlayerState.Item? {
        playlist.entry(id).map { entry in
            PlayerState.Item(entry, item: queued.first { $0.entryID == id }?.item, failure: failures[id])
        }
    }

    private func takeWaiters(_ isReady: (String) -> Bool) -> [(PlayerState.Item?) -> Void] {
        let ready = waiters.filter { isReady($0.value.itemID) }
        for number in ready.keys { waiters[number] = nil }
        return ready.sorted { $0.key < $1.key }.map(\.value.resume)
    }

    private func answerWaiters() {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], let item = loadedItem(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item.value)
        }
    }

    public func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> any PlayerObservation {
        let period = CMTime(value: max(1, Int64((min(max(interval, 0), 1e6) * 1e6).rounded())), timescale: 1_000_000)
        let token = player.addPeriodicTimeObserver(forInterval: period, queue: nil) { [weak self] _ in
            MainActor.assumeIsolated {
                guard let self else { return }
                body(self.currentTime())
            }
        }
        return TimeObservation(player: player, token: token)
    }

    public nonisolated func currentTime() -> PlayerTime {
        let instant = position.now()
        return PlayerTime(currentTime: max(0, instant.time.seconds), rate: instant.rate, hostTime: instant.hostTime.seconds)
    }

    public nonisolated func artwork(itemID: String) -> Artwork? { artworks.withLock { $0[itemID] } }
}

/// A periodic observer of the player on behalf of a remote.
@MainActor private final class TimeObservation: PlayerObservation {
    private weak var player: AVPlayer?
    private var token: Any?
    init(player: AVPlayer, token: Any) {
        self.player = player
        self.token = token
    }
    func cancel() {
        guard let token else { return }
        self.token = nil
        player?.removeTimeObserver(token)
    }
}

/// A notification of one object, told on the main actor, where `AVFoundation` posts all of its own; ends when dropped.
@MainActor private final class NotificationObserver {
    private(set) weak var object: AnyObject?
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        self.object = object
        token = NotificationToken(
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { notification in
                let info = PostedInfo(values: notification.userInfo ?? [:])
                MainActor.assumeIsolated { body(info.values) }
            })
    }
}

/// `@unchecked Sendable`: made and read on the main actor; it only passes a closure that is not isolated.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// `@unchecked Sendable`: the token is only given back to the notification centre, which is thread-safe.
private final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    deinit { NotificationCenter.default.removeObserver(token) }
}
