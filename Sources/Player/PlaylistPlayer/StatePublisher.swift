import Platform
import PlaybackEngine

/// The source of the state that a `StatePublisher` publishes.
@MainActor protocol StateSource: AnyObject {
    /// Returns the current state of the player. The property `lastChange` of the returned state has no meaning.
    func deriveState() -> PlayerState
    /// Sends the events that observers must receive before the new state.
    func stateWillBePublished()
    /// Answers the requests that wait for a change of the state. Called after each derivation of the state, also if nothing has changed.
    func stateWasPublished()
}

/// Publishes a player's state and events to its observers. Each published state contains the cause of its last change.
///
/// The publisher alone decides the order of its notices. A command's changes are published when the command ends; all other changes of one turn (one
/// job of the main actor) together, at its end or before the next command. Events are sent at once. Functions passed to `afterPublishing` run at the
/// end of the turn.
///
/// A `StateSource` derives the player's state. The publisher of the state owns the values that depend on the preceding states: the anchor, the last
/// change and its origin.
@MainActor final class StatePublisher {
    /// The maximum error of the position that clients compute from the published anchor during playback, in seconds. If the error is larger, a new
    /// anchor is published.
    static let anchorTolerance = 0.010
    /// The interval between two checks of the published anchor during playback, in seconds.
    static let anchorCheckPeriod = 10.0

    /// The state that was published last.
    private(set) var published = PlayerState()

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let observers = ObserverList<PlayerNotice>()
    private weak var source: (any StateSource)?
    /// The cause of the changes since the last publication of the state.
    private var cause = PlayerState.Change.none
    /// The name of the client whose command is being performed; nil between commands.
    private var client: String?
    private var isUpdateScheduled = false
    /// Whether the call of `endTurn` at the end of the present turn of the main actor is scheduled.
    private var isTurnEndScheduled = false
    /// The functions that run after the publication of the state at the end of the present turn of the main actor, in order.
    private var followers: [@MainActor () -> Void] = []
    /// Whether the position has jumped since the last publication of the state. After a jump, a new anchor is published even if it differs little
    /// from the published anchor, and even during a seek.
    private var isAnchorStale = false
    private var anchorCheck: (any ScheduledAction)?
    private var currentItems = CurrentItemTracker()

    /// Makes a publisher. `start` must be called before the publisher publishes a state.
    init(clock: any HostClock, scheduler: any MainScheduler) {
        self.clock = clock
        self.scheduler = scheduler
    }

    /// Sets the source of the state. The current state of the source counts as published. `start` is called once.
    func start(with source: any StateSource) {
        self.source = source
        published = source.deriveState().with(cause)
    }

    /// Ends the regular checks of the published anchor.
    func stop() {
        anchorCheck?.cancel()
        anchorCheck = nil
    }

    // MARK: Observers

    /// Adds an observer of the state and of events.
    func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken { observers.add(body) }

    /// Sends an event to the observers at once. The state that shows the effect of the event is published later (`update`).
    func send(_ event: PlayerEvent) { observers.notify(.event(event)) }

    // MARK: Causes

    /// The name of the client whose command is being performed; between commands the name of the player itself.
    var origin: String { client ?? PlayerState.Change.none.origin }

    /// Runs a client's command, `body`. The changes by the command have the reason `reason`, and are published before this function returns. Changes
    /// that happened before the command and are not published yet are published first, with their own reason.
    func act<Result, Refusal>(for client: String, _ reason: PlayerState.Reason, _ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        if isUpdateScheduled { update() }
        self.client = client
        cause = PlayerState.Change(reason: reason, origin: client)
        defer {
            self.client = nil
            update()
        }
        return try body()
    }

    /// Stores the reason of a change of the state. The reason and the new state are published together: during a command at its end, otherwise at the
    /// end of the present turn of the main actor. A consequence (a change that another change has caused) sets `isConsequence`. The reason of a
    /// consequence is ignored during a client's command, and if another reason is already stored for the present turn.
    func note(_ reason: PlayerState.Reason, isConsequence: Bool = false) {
        let hasOtherCause = isConsequence && (client != nil || (isUpdateScheduled && cause.isKnown))
        if !hasOtherCause { cause = PlayerState.Change(reason: reason, origin: origin) }
        scheduleUpdate()
    }

    /// Stores a client's seek, which has reached its position, as the cause of the next published state.
    func noteSeek(by client: String) { cause = PlayerState.Change(reason: .seek, origin: client) }

    // MARK: Publishing

    /// Returns a copy of a derived state with its last change. If the state differs from the published state, the last change is the cause that will
    /// be published with the state. If the state is unchanged, or only its anchor was corrected, the last change is that of the published state.
    func completed(_ state: PlayerState) -> PlayerState {
        let state = withPause(state)
        let former = published.with(state.lastChange)
        let isUnchanged = state == former || (!cause.isKnown && state.differsOnlyInAnchor(from: former))
        return state.with(isUnchanged ? published.lastChange : cause)
    }

    /// Publishes the state at the end of the present turn of the main actor. During a command `scheduleUpdate` does nothing, because the command
    /// publishes the state when it ends.
    func scheduleUpdate() {
        guard !isUpdateScheduled, client == nil else { return }
        isUpdateScheduled = true
        scheduleTurnEnd()
    }

    /// Calls the function `body` after the changes of the present turn of the main actor have been published. So messages that `body` sends to
    /// clients arrive after the state of the present turn. Several functions are called in the order in which they were passed.
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
        // If a command in the same turn of the main actor has already published its changes, there is nothing left to publish.
        if isUpdateScheduled { update() }
        let due = followers
        followers = []
        for follower in due { follower() }
    }

    /// Derives the state again, and publishes it if it has changed.
    func update() {
        isUpdateScheduled = false
        guard let source else { return }
        let new = withPause(source.deriveState())
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
                // If only the anchor was corrected, the last change remains the cause of the state.
                cause = published.lastChange
            } else if new.anchor != former.anchor {
                cause = PlayerState.Change(reason: .playing, origin: PlayerState.Change.none.origin)
            }
        }
        isAnchorStale = false
        published = withPause(new).with(cause)
        if let change = currentItems.take(published) { send(.currentItemDidChange(change)) }
        observers.notify(.state(published))
    }

    /// Returns a derived state with the cause of its last pause. The cause of a pause stays until a rate is requested again.
    private func withPause(_ state: PlayerState) -> PlayerState {
        var copy = state
        copy.lastPause = state.rate != 0 ? nil : published.rate == 0 ? published.lastPause : pause(of: state)
        return copy
    }

    /// A description of a pause that begins now, with the present cause of changes.
    private func pause(of state: PlayerState) -> PlayerState.Pause {
        PlayerState.Pause(reason: cause.reason, origin: cause.origin, hostTime: clock.now.seconds, silence: state.audioSession.silence)
    }

    // MARK: The anchor

    /// Records that the position has jumped. After a jump, a new anchor is published even if it differs little from the published anchor.
    func invalidateAnchor() { isAnchorStale = true }

    /// Returns the published anchor if it predicts the position of `new`; otherwise returns `new`.
    ///
    /// - Parameters:
    ///   - loop: The loop of the current item.
    ///   - isSeeking: Whether a seek is pending. During a seek the published anchor is kept, because the end of the seek publishes the position that
    ///     the seek has reached. A jump during the seek (the late landing of an earlier seek) gives a new anchor.
    func anchor(_ new: PlayerState.Anchor, in loop: ItemDetails.TimeRange?, isSeeking: Bool) -> PlayerState.Anchor {
        let old = published.anchor
        guard old.rate == new.rate, published.loop == loop else { return new }
        if isSeeking, !isAnchorStale { return old }
        let predicted = old.position(at: new.hostTime, in: loop)
        let isMoving = new.rate != 0
        var error = abs(predicted - new.time)
        // When a loop restarts, the predicted position may be at the end of the loop and the heard position at its start, or the reverse.
        if let loop, isMoving { error = min(error, abs(loop.end - loop.start - error)) }
        return error <= (isMoving && !isAnchorStale ? Self.anchorTolerance : 0) ? old : new
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
    /// Returns a copy of the player's state with another last change.
    fileprivate func with(_ change: Change) -> PlayerState {
        var copy = self
        copy.lastChange = change
        return copy
    }

    /// Whether the state equals `other` in all properties except the anchor, which may differ.
    fileprivate func differsOnlyInAnchor(from other: PlayerState) -> Bool {
        var same = other
        same.anchor = anchor
        return self == same
    }
}

extension PlayerState.Change {
    /// A change of the state without a reason, by the player itself.
    fileprivate static let none = PlayerState.Change(reason: .none, origin: "player")

    fileprivate var isKnown: Bool { reason != .none }
}
