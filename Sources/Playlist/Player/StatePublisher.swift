import Platform
import PlaybackEngine

/// The source of a publisher's state.
@MainActor protocol StateSource: AnyObject {
    /// Returns the current state, without its last change.
    func deriveState() -> PlayerState
    /// Sends the events that precede the state.
    func stateWillBePublished()
    /// Answers the requests that wait for the state.
    func stateWasPublished()
}

/// Publishes a player's state and events to its observers. The state is published at most once in each turn of the main actor, with its cause.
///
/// It is the one source of their order. A turn ends with the events, then the state, then what must follow them (`afterPublishing`).
///
/// The source derives the state. The publisher owns the values that depend on the preceding states: the anchor, the last change and its origin.
@MainActor final class StatePublisher {
    /// The largest error of the anchor that is not corrected while time moves, in seconds.
    static let anchorTolerance = 0.010
    /// The interval between two checks of the anchor while time moves, in seconds.
    static let anchorCheckPeriod = 10.0

    /// The state that was published last.
    private(set) var published = PlayerState()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let observers = ObserverList<PlayerNotice>()
    private weak var source: (any StateSource)?
    /// The cause of the changes since then.
    private var cause = PlayerState.Change.none
    /// The client whose command is being performed.
    private var client: String?
    private var isUpdateScheduled = false
    /// Whether the end of this turn is scheduled.
    private var isTurnEndScheduled = false
    /// What follows the publication at the end of this turn, in order.
    private var followers: [@MainActor () -> Void] = []
    /// Whether the time has jumped, so that the next anchor is published even if the difference is small.
    private var isAnchorStale = false
    private var anchorCheck: (any ScheduledAction)?

    /// A publisher without a source.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// Sets the source, whose current state counts as published. Called once.
    func start(with source: any StateSource) {
        self.source = source
        published = source.deriveState().with(cause)
    }

    /// Ends the checks of the anchor.
    func stop() {
        anchorCheck?.cancel()
        anchorCheck = nil
    }

    // MARK: Observers

    /// Adds an observer of the state and of events.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken { observers.add(body) }

    /// Sends an event to the observers.
    func send(_ event: PlayerEvent) { observers.notify(.event(event)) }

    // MARK: Causes

    /// The client whose command is being performed, otherwise the player itself.
    var origin: String { client ?? PlayerState.Change.none.origin }

    /// Runs a client's command. Its changes have this reason, and are published before this returns.
    func act<Result>(for client: String, _ reason: PlayerState.Reason, _ body: () throws(PlayerRefusal) -> Result) throws(PlayerRefusal) -> Result {
        self.client = client
        cause = PlayerState.Change(reason: reason, origin: client)
        defer {
            self.client = nil
            update()
        }
        return try body()
    }

    /// Notes the reason of a change, which is published at the end of this turn. A command in progress keeps its own reason, and so does the first
    /// cause of a turn, if the change is a consequence of it.
    func note(_ reason: PlayerState.Reason, isConsequence: Bool = false) {
        let hasOtherCause = isConsequence && (client != nil || (isUpdateScheduled && cause.isKnown))
        if !hasOtherCause { cause = PlayerState.Change(reason: reason, origin: origin) }
        scheduleUpdate()
    }

    /// Notes that a client's seek has landed.
    func noteSeek(by client: String) { cause = PlayerState.Change(reason: .seek, origin: client) }

    // MARK: Publishing

    /// Returns a derived state with its last change: the cause that will be published with it, or the last published one if nothing has changed.
    func completed(_ state: PlayerState) -> PlayerState {
        let former = published.with(state.lastChange)
        let isUnchanged = state == former || (!cause.isKnown && state.differsOnlyInAnchor(from: former))
        return state.with(isUnchanged ? published.lastChange : cause)
    }

    /// Publishes the state at the end of this turn. A command publishes it by itself.
    func scheduleUpdate() {
        guard !isUpdateScheduled, client == nil else { return }
        isUpdateScheduled = true
        scheduleTurnEnd()
    }

    /// Calls `body` after the changes of this turn have been published, in the order of the calls. What it reports then follows the state that it
    /// belongs to, also if the cause of that state is noted after this call.
    func afterPublishing(_ body: @escaping @MainActor () -> Void) {
        followers.append(body)
        scheduleTurnEnd()
    }

    private func scheduleTurnEnd() {
        guard !isTurnEndScheduled else { return }
        isTurnEndScheduled = true
        scheduler.async { [weak self] in self?.endTurn() }
    }

    private func endTurn() {
        isTurnEndScheduled = false
        // A command may have published the changes already.
        if isUpdateScheduled { update() }
        let due = followers
        followers = []
        for follower in due { follower() }
    }

    /// Publishes the state if it has changed.
    func update() {
        isUpdateScheduled = false
        guard let source else { return }
        let new = source.deriveState()
        let former = published.with(new.lastChange)
        source.stateWillBePublished()
        if new != former { publish(new, after: former) }
        cause = .none
        source.stateWasPublished()
        scheduleAnchorCheck()
    }

    private func publish(_ new: PlayerState, after former: PlayerState) {
        if !cause.isKnown {
            if new.differsOnlyInAnchor(from: former) {
                // Only the anchor was corrected, so the last change remains the reason of the state.
                cause = published.lastChange
            } else if new.anchor != former.anchor {
                cause = PlayerState.Change(reason: .playing, origin: PlayerState.Change.none.origin)
            }
        }
        isAnchorStale = false
        published = new.with(cause)
        observers.notify(.state(published))
    }

    // MARK: The anchor

    /// Notes that the time has jumped, so that the next anchor is published.
    func invalidateAnchor() { isAnchorStale = true }

    /// Returns the published anchor if it predicts `new`, otherwise `new`.
    ///
    /// - Parameter isSeeking: Whether a seek is pending. Its landing is published once, by the seek itself.
    func anchor(_ new: PlayerState.Anchor, isSeeking: Bool) -> PlayerState.Anchor {
        let old = published.anchor
        guard old.rate == new.rate else { return new }
        if isSeeking { return old }
        let predicted = old.time + (new.hostTime - old.hostTime) * old.rate
        let isMoving = new.rate != 0
        return abs(predicted - new.time) <= (isMoving && !isAnchorStale ? Self.anchorTolerance : 0) ? old : new
    }

    private func scheduleAnchorCheck() {
        guard published.anchor.rate != 0 else { return stop() }
        guard anchorCheck == nil else { return }
        anchorCheck = scheduler.schedule(at: clock.now + Self.anchorCheckPeriod) { [weak self] in
            self?.anchorCheck = nil
            self?.update()
        }
    }
}

extension PlayerState {
    /// Returns the same state with another last change.
    fileprivate func with(_ change: Change) -> PlayerState {
        var copy = self
        copy.lastChange = change
        return copy
    }

    /// Whether the anchor is the only difference, if there is one.
    fileprivate func differsOnlyInAnchor(from other: PlayerState) -> Bool {
        var same = other
        same.anchor = anchor
        return self == same
    }
}

extension PlayerState.Change {
    /// No reason, by the player itself.
    fileprivate static let none = PlayerState.Change(reason: .none, origin: "player")

    fileprivate var isKnown: Bool { reason != .none }
}
