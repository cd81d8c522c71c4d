public import Platform

/// Sends each change of a player's state to an archive, which saves it. During playback, also sends the position regularly.
@MainActor public final class StateSaver {
    /// The interval at which the position is saved during playback, in seconds of media time (at rates below 1, of host time). So even on a busy
    /// machine, a restored position is less than a second before the position that was heard last.
    static let positionInterval = 0.5
    /// The minimum interval between two saved positions, in seconds; it applies at high rates.
    static let shortestInterval = 0.1

    /// The interval at which the remembered position of a medium is saved during playback, in seconds. The position of the current entry, which is
    /// saved more often, costs less.
    static let mediaInterval = 60.0

    private let archive: any PlayerArchive
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    /// The remembered positions of media; nil if the program does not remember positions.
    private var positions: MediaPositions?
    /// The newest position of the current medium, if it was not remembered yet.
    private var pendingPosition: MediaPosition?
    /// The host time at which a position of a medium was remembered last.
    private var remembered: HostTime?
    /// The anchor of the last update.
    private var anchor: PlayerState.Anchor?
    /// The state of the player that was last sent to the archive.
    private var kept: SavedPlayer?
    /// The ids of the entries that were added, removed or changed since the state `kept` was sent.
    private var changedEntries: Set<String> = []
    private var output: OutputChoice?
    private weak var player: PlaylistPlayer?
    private var positionTimer: (any ScheduledAction)?
    private var isStopped = false

    /// Makes a saver that is not yet connected to a player.
    /// - Parameters:
    ///   - kept: The state that the archive contains.
    ///   - positions: The remembered positions of media; nil if the program does not remember positions.
    public init(_ archive: any PlayerArchive, kept: SavedPlayer?, positions: MediaPositions?, clock: any HostClock, scheduler: any MainScheduler) {
        self.archive = archive
        self.kept = kept
        self.positions = positions
        output = kept?.settings.output
        self.clock = clock
        self.scheduler = scheduler
    }

    /// Starts to save the state of a player. Its entries may differ from the saved ones, because a command line has replaced them.
    func start(with player: PlaylistPlayer) {
        self.player = player
        note(.replacing(kept?.playlist.entries ?? [], by: player.playlist.entries))
    }

    /// Records a change of the player's entries.
    func note(_ change: QueueChange) {
        let (removed, inserted) = change.versions
        changedEntries.formUnion(removed.keys)
        changedEntries.formUnion(inserted.keys)
    }

    /// Records the output that a client or the user has chosen.
    public func setOutput(_ choice: OutputChoice) {
        output = choice
        update()
    }

    /// Sends the player's last state to the archive, before the player shuts down.
    func stop() {
        update()
        rememberPending()
        isStopped = true
        positionTimer?.cancel()
    }

    /// Sends the player's state to the archive if the state has changed.
    func update() {
        guard !isStopped, let player else { return }
        var saved = player.saved
        saved.settings.output = output
        if positions != nil { rememberPosition(player.positionToRemember, by: player.publisher.published.anchor) }
        if kept.map({ !saved.equals($0) }) ?? true {
            saved.changedEntries = changedEntries
            changedEntries = []
            kept = saved
            archive.keep(saved)
        }
        schedulePosition(rate: player.motionRate)
    }

    private func schedulePosition(rate: Double) {
        // The position has just been saved, so it is saved again after one interval, which depends on the present rate.
        positionTimer?.cancel()
        positionTimer = nil
        guard rate != 0 else { return }
        let interval = max(Self.shortestInterval, Self.positionInterval / max(1, abs(rate)))
        positionTimer = scheduler.schedule(at: clock.now + interval) { [weak self] in
            self?.positionTimer = nil
            self?.update()
        }
    }

    // MARK: Positions of media

    /// Remembers the position of the current medium: at once after a change of the player, and otherwise after `mediaInterval`, or when another
    /// medium has become current.
    private func rememberPosition(_ position: MediaPosition?, by anchor: PlayerState.Anchor) {
        if pendingPosition?.url != position?.url { rememberPending() }
        pendingPosition = position
        // While the position follows from the same anchor, only time passes.
        if anchor != self.anchor || remembered.map({ clock.now - $0 >= Self.mediaInterval }) ?? true { rememberPending() }
        self.anchor = anchor
    }

    private func rememberPending() {
        guard let position = pendingPosition.take() else { return }
        remembered = clock.now
        let known = positions?[position.url] ?? MediaPosition(url: position.url, time: nil, duration: position.duration)
        guard known != position, let removed = positions?.remember(position) else { return }
        archive.keep(position, removing: removed)
    }

    /// Returns the position at which the medium with the URL `url` was last left. Returns nil if no position of the medium is remembered.
    func position(of url: String) -> MediaPosition? {
        rememberPending()
        return positions?[Array(url.utf8)]
    }
}

/// An archive, which saves a player's state from one run of the program to the next. The program implements `PlayerArchive` with a database.
///
/// No function of a `PlayerArchive` blocks. Any thread may call the functions.
public protocol PlayerArchive: AnyObject, Sendable {
    /// Saves the state of a player. If several states arrive during one write, only the newest is written.
    func keep(_ player: SavedPlayer)
    /// Saves the position of a medium, and removes the positions of the media with the URLs `urls`.
    func keep(_ position: MediaPosition, removing urls: [[UInt8]])
}
