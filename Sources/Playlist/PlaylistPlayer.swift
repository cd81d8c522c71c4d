public import AVFoundation
import CoreMedia
import Foundation
import PlaybackEngine

/// The playlist, played: feeds an `AVQueuePlayer` the current entry and the ones that follow, and tells one `PlayerState`.
///
/// When the last entry ends it stays current, paused, `ended`; `play` starts it again. An entry that fails is skipped where another follows, and stays
/// current, paused, with its error where none does.
@MainActor public final class PlaylistPlayer: RemotePlayer {
    /// Entries that the queue player has beyond the current one: more than one, for entries shorter than the device's buffer.
    static let lookahead = 3
    /// The anchor is corrected where what is heard differs from what it foretells by more than this, seconds.
    static let anchorTolerance = 0.010
    /// How often that is looked at while time moves, seconds.
    static let anchorCheckPeriod = 10.0

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
    /// The entries, their order and the current one.
    public var playlist: PlaylistMachine { book.playlist }

    let book: EntryBook
    let observers = PlayerObservers()
    let environment: PlaybackEnvironment
    nonisolated let position: HeardPosition

    /// What the queue player has, in its order, the current one first.
    var queued: [Queued] = []
    var tokens: [NSKeyValueObservation] = []
    var notifications: [NotificationObserver] = []
    var routeChanges: NotificationToken?
    var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    var nextWaiter = 0

    // Settings that the player has in another shape.
    var volume = 1.0
    var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    var sleepTimer = PlayerState.SleepTimer()
    var sleepAction: (any ScheduledAction)?
    var counts = PlayerStatistics()

    // The state as told last.
    var published: PlayerState
    var cause = PlayerState.Change(reason: PlayerState.Reason.none.rawValue, origin: "player")
    /// The client whose command is being carried out.
    var origin: String?
    var isUpdateScheduled = false
    /// Time has jumped: the anchor is taken anew, however little it moved.
    var isAnchorStale = false
    var anchorCheck: (any ScheduledAction)?

    /// A player with an empty playlist.
    /// - Parameter seed: of the shuffle.
    public init(environment: PlaybackEnvironment = .default, seed: UInt64 = .random(in: 0 ... .max)) {
        self.environment = environment
        book = EntryBook(seed: seed)
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
        sleepAction?.cancel()
        for waiter in takeWaiters({ _ in true }) { waiter(nil) }
        player.shutDown()
    }

    // MARK: Commands

    public func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        guard case .seek(let seek) = command else { return try carryOut(command, origin: origin) }
        return try await perform(seek, origin: origin)
    }

    /// Runs what a client asked for: what changes meanwhile is its doing, and is told before this returns.
    func acting<Result>(for client: String, _ reason: PlayerState.Reason, _ body: () throws(PlayerRefusal) -> Result) throws(PlayerRefusal) -> Result
    {
        origin = client
        cause = PlayerState.Change(reason: reason.rawValue, origin: client)
        defer {
            origin = nil
            update()
        }
        return try body()
    }
}
