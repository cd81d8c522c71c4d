public import AVFoundation
import CoreMedia
public import PlaybackEngine

/// A playlist that remotes control, and that an `AVQueuePlayer` plays. `PlaylistPlayer` performs the remotes' commands, and publishes one
/// `PlayerState`.
///
/// After the end of the last entry, the last entry stays current, and the state is paused and `ended`; the command `play` starts the last entry
/// again. An entry that fails is skipped if another entry follows. If no entry follows, the failed entry stays current, paused, with its error.
@MainActor public final class PlaylistPlayer: RemotePlayer {
    /// The queue player, for settings that no command changes, such as outputs.
    public let player: AVQueuePlayer

    let environment: PlaybackEnvironment
    nonisolated let position: HeardPosition
    nonisolated let model: QueueModel
    let publisher: StatePublisher
    let sleepTimer: SleepTimer
    let volumeFade: VolumeFade
    let scheduledPlay: ScheduledPlay
    let loader: ItemLoader
    let loadWaiters = LoadWaiters()
    let absentMedia: AbsentMedia
    private(set) var isShutDown = false

    /// The volume that a client has set, as a `Double`. The queue player rounds the volume to a `Float`.
    private(set) var volume = 1.0
    private var counts = PlayerStatistics()
    /// The saver, which saves each change of the state for the next run of the program; nil if the state is not saved.
    let saver: StateSaver?
    private(set) var persistence: PlayerState.Persistence
    /// The observations of the queue player and its audio session.
    private var observations: [AnyObject] = []

    /// Makes a player with an empty playlist, or with the state that an earlier player has saved. The new player is paused; `resume` starts playback
    /// at the saved rate.
    ///
    /// - Parameters:
    ///   - seed: The seed of the shuffle.
    ///   - saved: The state that an earlier player has saved; nil for an empty playlist.
    ///   - initialVolume: The volume without a saved state, in 0…1.
    ///   - presence: Looks for files that cannot be opened, so that the queue waits for those that are away; nil if all fail.
    ///   - saver: The saver, which saves the state of this player; nil if the state is not saved.
    ///   - persistence: Whether the state of this player is saved, for clients.
    public init(
        environment: PlaybackEnvironment = .default, seed: UInt64 = .random(in: 0 ... .max), restoring saved: SavedPlayer? = nil,
        initialVolume: Double = 1, presence: (any MediaPresence)? = nil, saver: StateSaver? = nil,
        persistence: PlayerState.Persistence = PlayerState.Persistence()
    ) {
        self.environment = environment
        player = AVQueuePlayer(items: [], environment: environment)
        position = player.position
        model = saved.map { QueueModel(restoring: $0.playlist, saver: saver) } ?? QueueModel(seed: seed, saver: saver)
        self.saver = saver
        self.persistence = persistence
        publisher = StatePublisher(clock: environment.clock, scheduler: environment.scheduler)
        sleepTimer = SleepTimer(clock: environment.clock, scheduler: environment.scheduler)
        volumeFade = VolumeFade(clock: environment.clock, scheduler: environment.scheduler)
        scheduledPlay = ScheduledPlay(clock: environment.clock, wallClock: environment.wallClock, scheduler: environment.scheduler)
        absentMedia = AbsentMedia(presence)
        loader = ItemLoader(
            player, model: model, publisher: publisher, sleepTimer: sleepTimer, absentMedia: absentMedia, environment: environment
        ) { saver?.position(of: $0) }
        player.keepLastFailedItem()
        player.handleLists { [weak self] item, list, error in self.flatMap { $0.expand(item, list, error) } }
        player.handleFailures { [weak self] item, error in self?.holdFailed(item, error) ?? false }
        // The category `playback` is intended for players, such as this program (R-SES-03).
        do { try player.session.setCategory(.playback) } catch {
            preconditionFailure("R-SES-10: the category playback must allow the default mode: \(error)")
        }
        loader.start(with: self)
        saver?.start(with: self)
        if let saved { restore(saved) } else if initialVolume != volume { setVolume(initialVolume) }
        publisher.start(with: self)
        position.noteStatePublished()
        observations = observePlayer()
    }

    /// Stops the engine and closes the device. `shutDown` blocks for at most two seconds. After `shutDown`, the player cannot be used.
    public func shutDown() {
        isShutDown = true
        saver?.stop()
        publisher.stop()
        sleepTimer.stop()
        volumeFade.cancel()
        scheduledPlay.cancel()
        loadWaiters.answer { _ in .ended(nil) }
        player.shutDown()
    }

    /// The playlist: the entries, their order and the current entry.
    public var playlist: PlaylistMachine { model.playlist }

    public func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken { publisher.observe(body) }

    public func afterPublishing(_ body: @escaping @MainActor () -> Void) { publisher.afterPublishing(body) }

    public func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        guard !isShutDown else { throw .shutDown }
        guard case .seek(let seek) = command else { return try performNow(command, origin: origin) }
        return try await perform(seek, origin: origin)
    }

    /// Stores the volume that a client has set. The functions in `PlaylistPlayer+Sound` make the stored volume audible.
    func noteVolume(_ newVolume: Double) { volume = newVolume }

    /// Publishes whether the player's state is saved for the next run of the program.
    public func setPersistence(_ new: PlayerState.Persistence) {
        guard new != persistence else { return }
        persistence = new
        publisher.note(.persistenceChanged)
    }

    /// The player's counters since the start of the program, and the duration of the buffered audio.
    public var statistics: PlayerStatistics {
        var statistics = counts
        statistics.underruns = player.figures.underruns
        statistics.clippedFrames = player.figures.clippedFrames
        statistics.skippedPackets = player.figures.skippedPackets
        statistics.bufferSeconds = player.renderedAhead
        return statistics
    }
}

extension PlaylistPlayer: QueuedEntryObserver {
    func entry(_ entry: QueuedEntry, didReport event: QueuedEntry.Event) {
        switch event {
        case .statusChanged:
            if entry.item.status == .failed { entryDidFail(entry) } else { entryDidLoad(entry) }
            checkRememberedStart(of: entry)
            publisher.note(entry.item.status == .failed ? .itemFailed : .itemLoaded, isConsequence: true)
        case .durationChanged:
            learn(from: entry)
            publisher.note(.itemLoaded, isConsequence: true)
        case .positionEstimateChanged:
            publisher.note(.seek, isConsequence: true)
        case .playedToEnd:
            publisher.note(.didPlayToEndTime)
            publisher.send(.didPlayToEndTime(itemID: entry.id))
            sleepAtEndOfItem(entry)
        case .failedToPlayToEnd:
            guard let failure = entry.item.error.map(PlayerState.Failure.init(describing:)) else { return }
            publisher.send(.failedToPlayToEndTime(itemID: entry.id, failure))
        case .stalled:
            counts.stalls += 1
            publisher.note(.playbackStalled)
            publisher.send(.playbackStalled(itemID: entry.id))
        case .timeJumped:
            publisher.invalidateAnchor()
            followChapter()
            publisher.note(.seek, isConsequence: true)
            publisher.send(.timeJumped(itemID: entry.id, time: player.currentTime().seconds))
        case .connectionChanged:
            // Followers are opened ahead, and their connections do not concern a listener.
            guard entry === loader.current else { break }
            publisher.note(.networkChanged, isConsequence: true)
            publisher.send(.networkDidChange(itemID: entry.id, entry.item.connectionWait.map(PlayerState.Network.init)))
        case .seekProgressed:
            publisher.scheduleUpdate()
        case .timedMetadataChanged:
            guard let item = knownItem(entry.id) else { break }
            model.noteChanged(entry.id)
            publisher.note(.itemLoaded, isConsequence: true)
            publisher.send(.metadataDidChange(item))
        }
    }

    private func entryDidFail(_ failed: QueuedEntry) {
        counts.failedItems += 1
        let failure = failed.item.error.map(PlayerState.Failure.init(describing:))
        model.fail(failed.id, with: failure)
        if let failure, let entry = playlist.entry(failed.id) {
            publisher.send(.entryDidFail(entryID: entry.id, url: entry.spec.url, failure))
        }
        loader.countFailure()
        if loader.isStoppedByFailures { publisher.note(.queueFailed) }
        loader.replaceFailed(failed)
    }

    private func entryDidLoad(_ entry: QueuedEntry) {
        learn(from: entry)
        guard entry.item.status == .readyToPlay else { return }
        absentMedia.forget(entry.id)
        if case .file(let path)? = playlist.entry(entry.id)?.spec.source.location { absentMedia.presence?.didOpen(path) }
        loader.forgetFailuresInRow()
        startAtEnd(entry)
    }

    private func learn(from entry: QueuedEntry) {
        if let item = model.learn(of: entry.id, from: entry.item) { publisher.send(.metadataDidChange(item)) }
        followChapter()
    }
}
