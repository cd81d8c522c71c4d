import AVFoundation
import Platform
import PlaybackEngine
import Player
import Synchronization

/// A fake player without audio. It carries out commands, and records them with the clients that sent them. The test simulates playback.
@MainActor final class FakeRemotePlayer: RemotePlayer {
    struct Performed: Equatable {
        var command: PlayerCommand
        var origin: String
    }

    private(set) var state = PlayerState()
    private(set) var entries: [PlayerState.Item] = []
    /// The edits that the queue's document names, and the history.
    var edits = RevertibleEdits()
    var history: [String] = []
    private var summary: QueueSummary {
        let index = state.queue.index
        return QueueSummary(
            revision: state.queue.revision, count: entries.count, currentID: entries.indices.contains(index) ? entries[index].id : nil,
            nextID: entries.indices.contains(index + 1) ? entries[index + 1].id : nil)
    }
    /// The number of entries that were described for remotes.
    private(set) var describedCount = 0
    func queue(_ page: QueuePage) -> PlayerQueue {
        let indices = page.indices(count: entries.count, current: state.queue.index, index: { id in entries.firstIndex { $0.id == id } })
        describedCount += indices.count
        let shown = page.order == .playback ? entries.reversed() : entries
        return PlayerQueue(
            summary: summary, entries: Array(shown[indices]), history: history.suffix(page.limit ?? .max), offset: indices.lowerBound, edits: edits)
    }
    private(set) var queueEdition = 0
    private let notices = ObserverList<PlayerNotice>()
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken { notices.add(body) }

    /// The scheduler that runs the turns of the player; nil means that turns of the main actor are used.
    var scheduler: (any MainScheduler)?
    private var followers: [@MainActor () -> Void] = []
    /// The number of closures that wait for the next publication of the state (`afterPublishing`).
    var followerCount: Int { followers.count }
    func afterPublishing(_ body: @escaping @MainActor () -> Void) {
        if publishesLater {
            followers.append(body)
        } else if let scheduler {
            scheduler.async { body() }
        } else {
            Task { @MainActor in body() }
        }
    }

    /// The commands that the player has received, in order.
    private(set) var performed: [Performed] = []
    /// The error with which the player refuses all further commands; nil if it refuses none.
    var refusal: PlayerRefusal?
    /// The reply of the player to each seek.
    var seekReply = PlayerReply.seek(finished: true, time: 42.5, requested: 42.5)
    /// Whether seeks are completed only after the test has called `releaseSeeks`.
    var holdsSeeks = false
    private var seeks: [CheckedContinuation<Void, Never>] = []
    var heldSeeks: Int { seeks.count }
    func releaseSeeks() {
        let waiting = seeks
        seeks = []
        for seek in waiting { seek.resume() }
    }
    /// Whether changes are published only when the test calls `publish`. The real player publishes them at the end of its turn.
    var publishesLater = false

    private var itemCount = 0
    private var loads: [(id: String, continuation: CheckedContinuation<PlayerState.Item?, Never>)] = []
    private(set) var observers: [FakeObservation] = []
    nonisolated let heard = Mutex(PlayerTime(currentTime: 12.25, rate: 1, hostTime: 8123.5))
    /// A closure that is called once, while a request has read the position and has no answer yet.
    nonisolated let afterReading = Mutex<(@Sendable () -> Void)?>(nil)
    nonisolated let artworks = Mutex<[String: Artwork]>([:])

    // MARK: The test's side

    /// Changes the state, and publishes it as the real player does.
    func change(_ body: (inout PlayerState) -> Void) {
        body(&state)
        if !publishesLater { publish() }
    }
    /// Publishes the state, and then calls the closures that wait for the publication.
    func publish() {
        notices.notify(.state(state))
        let due = followers
        followers = []
        for follower in due { follower() }
    }
    func emit(_ event: PlayerEvent) { notices.notify(.event(event)) }

    /// The number of requests that wait for an item to load.
    var pendingLoads: Int { loads.count }

    /// Ends the loading of the current item: the item has failed if `error` is not nil, otherwise it is ready.
    func finishLoading(_ error: PlayerState.Failure? = nil) {
        change {
            $0.currentItem?.status = error == nil ? .readyToPlay : .failed
            $0.currentItem?.error = error
            if error == nil { $0.currentItem?.duration = 60 }
        }
        resumeLoads()
    }

    private func resumeLoads() {
        let waiting = loads
        loads = []
        for load in waiting { load.continuation.resume(returning: state.currentItem?.id == load.id ? state.currentItem : nil) }
    }

    /// Calls the time observers with this interval, in seconds.
    func tick(_ interval: Double, _ time: PlayerTime) {
        heard.withLock { $0 = time }
        for observer in observers where observer.interval == interval { observer.body(time) }
    }

    // MARK: RemotePlayer

    func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        performed.append(Performed(command: command, origin: origin))
        if let refusal { throw refusal }
        switch command {
        case .play(_, _, .hostTime(let time)?): change { $0.scheduledStart = PlayerState.ScheduledStart(hostTime: time) }
        case .play(_, _, .date(let date)?): change { $0.scheduledStart = PlayerState.ScheduledStart(hostTime: 8000, date: date) }
        case .play(let rate, _, nil): setRate(rate ?? state.defaultRate, origin)
        case .pause, .fadeToPause: setRate(0, origin)
        case .setLoop(let start, let end): change { $0.loop = ItemDetails.TimeRange(start: start, end: end) }
        case .clearLoop: change { $0.loop = nil }
        case .changeVolume(let step, _): change { $0.volume = min(1, max(0, $0.volume + step)) }
        case .toggle: setRate(state.rate == 0 ? state.defaultRate : 0, origin)
        case .seek:
            if holdsSeeks { await withCheckedContinuation { seeks.append($0) } }
            return seekReply
        case .setItem(let entry, let play, _):
            itemCount += 1
            let id = "e\(itemCount)"
            entries = [PlayerState.Item(id: id, url: entry.url, title: entry.title)]
            editQueue(current: 0)
            if let play { setRate(play ? state.defaultRate : 0, origin) }
            resumeLoads()
            return .item(id: id)
        case .clear:
            entries = []
            editQueue(current: -1)
        case .setQueue(let specs, let start, let play):
            entries = items(specs)
            editQueue(current: entries.isEmpty ? -1 : start?.index ?? 0)
            if let play { setRate(play ? state.defaultRate : 0, origin) }
            return .entries(ids: entries.map(\.id))
        case .insert(let specs, let position, _):
            let new = items(specs)
            let at = position.anchor.flatMap { id in entries.firstIndex { $0.id == id } }.map { $0 + 1 } ?? entries.count
            entries.insert(contentsOf: new, at: at)
            editQueue(current: max(0, state.queue.index))
            return .entries(ids: new.map(\.id))
        case .removeEntry(let id):
            entries.removeAll { $0.id == id }
            editQueue(current: entries.isEmpty ? -1 : 0)
        case .removeEntries(let ids):
            entries.removeAll { ids.contains($0.id) }
            editQueue(current: entries.isEmpty ? -1 : 0)
        case .removeUpcoming:
            entries.removeLast(max(0, entries.count - 1 - state.queue.index))
            editQueue(current: state.queue.index)
        case .undo, .redo: return .edit(QueueEdit(kind: .move, count: 3, origin: origin))
        case .moveEntry, .moveEntries: editQueue(current: state.queue.index)
        case .playEntry(let id):
            select(entries.firstIndex { $0.id == id } ?? 0)
            setRate(state.defaultRate, origin)
        case .next: select(state.queue.index + 1)
        case .previous: select(state.queue.index - 1)
        case .setSleepTimer(let setting):
            change {
                switch setting {
                case .off: $0.sleepTimer = PlayerState.SleepTimer()
                case .after(let seconds): $0.sleepTimer = PlayerState.SleepTimer(kind: .time, hostTime: 8000 + seconds)
                case .atEndOfItem: $0.sleepTimer = PlayerState.SleepTimer(kind: .endOfItem)
                case .atEndOfChapter: $0.sleepTimer = PlayerState.SleepTimer(kind: .endOfChapter)
                case .afterItems(let count): $0.sleepTimer = PlayerState.SleepTimer(kind: .items, remainingItems: count)
                }
            }
        case .setOutputRate(let rate, let device): outputRates.set(rate, of: device)
        case .update(let update):
            change {
                if let seconds = update.crossfadeDuration { $0.crossfadeDuration = seconds }
                if let mode = update.loudnessNormalization { $0.loudnessNormalization = mode }
                if let volume = update.volume { $0.volume = volume }
                if let isMuted = update.isMuted { $0.isMuted = isMuted }
                if let rate = update.rate { $0.rate = rate }
                if let repeatMode = update.repeatMode { $0.repeatMode = repeatMode }
                if let isConsuming = update.isConsuming { $0.isConsuming = isConsuming }
            }
        }
        return .done
    }

    private func items(_ specs: [EntrySpec]) -> [PlayerState.Item] {
        specs.map { spec in
            itemCount += 1
            return PlayerState.Item(
                id: "e\(itemCount)", url: spec.url, status: spec.failure == nil ? .unknown : .failed, error: spec.failure, title: spec.title)
        }
    }

    private func editQueue(current index: Int) {
        queueEdition += 1
        change {
            $0.currentItem = entries.indices.contains(index) ? entries[index] : nil
            $0.queue = PlayerState.QueuePosition(revision: $0.queue.revision + 1, count: entries.count, index: index)
        }
        emit(.queueDidChange(QueueUpdate(summary: summary, previousRevision: state.queue.revision - 1, changes: nil)))
    }

    private func select(_ index: Int) {
        guard entries.indices.contains(index) else { return }
        queueEdition += 1
        change {
            $0.currentItem = entries[index]
            $0.queue.index = index
        }
        emit(.queueDidChange(QueueUpdate(summary: summary, previousRevision: state.queue.revision)))
    }

    private func setRate(_ rate: Double, _ origin: String) {
        guard rate != state.rate else { return }
        emit(.rateDidChange(rate: rate, reason: .setRateCalled, origin: origin))
        change {
            $0.rate = rate
            $0.timeControlStatus = rate == 0 ? .paused : .playing
            $0.lastChange = PlayerState.Change(reason: .setRateCalled, origin: origin)
        }
    }

    func waitUntilLoaded(itemID: String) async -> PlayerState.Item? {
        guard state.currentItem?.id == itemID, state.currentItem?.status == .unknown else { return state.currentItem }
        return await withCheckedContinuation { loads.append((itemID, $0)) }
    }

    func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken {
        let observer = FakeObservation(interval: interval, body: body)
        observers.append(observer)
        return ObservationToken { [weak self] in self?.observers.removeAll { $0 === observer } }
    }

    var outputRates = OutputRates()
    var statistics = PlayerStatistics()
    /// The facts about the media of items that the state and the queue do not contain, by the id of the item.
    var facts: [String: MediaFacts] = [:]
    var sources: [String: MediaSource] = [:]
    /// The outputs to which playback was moved. The next property is the state's output after a move.
    private(set) var moves: [OutputWish] = []
    var outputAfterMove: PlayerState.Output?
    nonisolated let fakeOpener = FakeOpener()
    nonisolated var opener: any MediaOpener { fakeOpener }

    func details(itemID: String) -> ItemDetails? {
        guard let item = entries.first(where: { $0.id == itemID }) ?? state.currentItem, item.id == itemID else { return nil }
        return ItemDetails(
            item: item, source: sources[itemID] ?? MediaSource(.file(path: "/" + itemID)), loaded: [ItemDetails.TimeRange(start: 0, end: 60)],
            seekable: [ItemDetails.TimeRange(start: 0, end: .infinity)], facts: facts[itemID])
    }

    func moveSound(to output: OutputWish, origin: String) throws(PlayerRefusal) {
        moves.append(output)
        if let output = outputAfterMove { change { $0.output = output } }
    }

    nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure> {
        await fakeOpener.inspect(source, interrupt, slot)
    }

    /// The state of the current item's buffer. A change of this property notifies the player's observers.
    var buffer: BufferState? {
        didSet { for observer in bufferObservers { observer.body(heard.withLock { $0 }) } }
    }
    private(set) var bufferObservers: [FakeObservation] = []
    func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken {
        let observer = FakeObservation(body: { _ in body() })
        bufferObservers.append(observer)
        return ObservationToken { [weak self] in self?.bufferObservers.removeAll { $0 === observer } }
    }

    nonisolated func currentTime() -> PlayerTime {
        let time = heard.withLock { $0 }
        let afterReading = afterReading.withLock { next in
            defer { next = nil }
            return next
        }
        afterReading?()
        return time
    }
    nonisolated func artwork(itemID: String) -> Artwork? { artworks.withLock { $0[itemID] } }
    /// The pictures that can be read from their media, because they are not in memory.
    var picturesOfMedia: [String: Artwork] = [:]
    func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork? {
        let found = picturesOfMedia[itemID]
        if let found { artworks.withLock { $0[itemID] = found } }
        return found
    }
}

@MainActor final class FakeObservation {
    /// The interval of a periodic observer, in seconds; 0 for an observer of the buffer.
    let interval: Double
    let body: @MainActor (PlayerTime) -> Void

    init(interval: Double = 0, body: @escaping @MainActor (PlayerTime) -> Void) {
        self.interval = interval
        self.body = body
    }
}
