public import Platform

/// Gives each change of a player to an archive, and the position once a second during playback.
@MainActor public final class StateKeeper {
    /// The interval between two kept positions during playback, in seconds of media time. On a busy machine too, a position that is restored is less
    /// than a second older than what was heard.
    static let positionInterval = 0.5
    /// The smallest interval between two kept positions, in seconds, at high rates.
    static let shortestInterval = 0.1
    /// The interval of the checks whether a write takes too long, in seconds.
    static let patience = 0.5

    private let archive: any PlayerArchive
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    /// The positions of media; nil if they are not remembered.
    private var positions: MediaPositions?
    /// The player that was given to the archive last.
    private var kept: SavedPlayer?
    private var output: OutputChoice?
    private weak var player: PlaylistPlayer?
    private var positionTimer: (any ScheduledAction)?
    private var waitTimer: (any ScheduledAction)?
    private var isStopped = false

    /// A keeper of no player.
    /// - Parameters:
    ///   - kept: What the archive contains.
    ///   - positions: The remembered positions of media; nil if they are not remembered.
    public init(_ archive: any PlayerArchive, kept: SavedPlayer?, positions: MediaPositions?, clock: any HostClock, scheduler: any MainScheduler) {
        self.archive = archive
        self.kept = kept
        self.positions = positions
        output = kept?.settings.output
        self.clock = clock
        self.scheduler = scheduler
    }

    func start(with player: PlaylistPlayer) { self.player = player }

    /// Records the output that was chosen.
    public func setOutput(_ choice: OutputChoice) {
        output = choice
        update()
    }

    /// Keeps the player for the last time, before it shuts down.
    func stop() {
        update()
        isStopped = true
        positionTimer?.cancel()
        waitTimer?.cancel()
    }

    /// Gives the player to the archive if it has changed.
    func update() {
        guard !isStopped, let player else { return }
        var saved = player.saved
        saved.settings.output = output
        if positions != nil, let position = player.positionToRemember { remember(position) }
        if kept.map({ !saved.equals($0) }) ?? true {
            kept = saved
            archive.keep(saved)
            watchWrite()
        }
        schedulePosition(rate: player.motionRate)
    }

    private func schedulePosition(rate: Double) {
        // The position was just kept, so the next one is due an interval later, at the present rate.
        positionTimer?.cancel()
        positionTimer = nil
        guard rate != 0 else { return }
        let interval = max(Self.shortestInterval, Self.positionInterval / max(1, abs(rate)))
        positionTimer = scheduler.schedule(at: clock.now + interval) { [weak self] in
            self?.positionTimer = nil
            self?.update()
        }
    }

    /// Checks from time to time whether a write takes too long, until it has ended.
    private func watchWrite() {
        guard waitTimer == nil else { return }
        waitTimer = scheduler.schedule(at: clock.now + Self.patience) { [weak self] in
            guard let self else { return }
            waitTimer = nil
            if archive.endLongWaits() { watchWrite() }
        }
    }

    // MARK: Positions of media

    private func remember(_ position: MediaPosition) {
        let known = positions?[position.url] ?? MediaPosition(url: position.url, time: nil, duration: position.duration)
        guard known != position, let removed = positions?.remember(position) else { return }
        archive.keep(position, removing: removed)
        watchWrite()
    }

    /// Returns the remembered position of a medium; nil if there is none, or if positions are not remembered.
    func position(of url: String) -> MediaPosition? { positions?[Array(url.utf8)] }
}
