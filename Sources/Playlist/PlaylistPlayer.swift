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
    let publisher: StatePublisher
    let loadWaiters = LoadWaiters()
    let environment: PlaybackEnvironment
    nonisolated let position: HeardPosition

    /// What the queue player has, in its order, the current one first.
    var queued: [Queued] = []
    var tokens: [NSKeyValueObservation] = []
    var notifications: [NotificationObserver] = []
    var routeChanges: NotificationToken?

    // Settings that the player has in another shape.
    var volume = 1.0
    var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    var sleepTimer = PlayerState.SleepTimer()
    var sleepAction: (any ScheduledAction)?
    var counts = PlayerStatistics()

    /// A player with an empty playlist.
    /// - Parameter seed: of the shuffle.
    public init(environment: PlaybackEnvironment = .default, seed: UInt64 = .random(in: 0 ... .max)) {
        self.environment = environment
        book = EntryBook(seed: seed)
        player = AVQueuePlayer(items: [], environment: environment)
        position = player.position
        publisher = StatePublisher(clock: environment.clock, scheduler: environment.scheduler)
        player.keepsLastFailedItem = true
        // What is played here is what the category means (R-SES-03).
        do { try player.session.setCategory(.playback) } catch { preconditionFailure("R-SES-10: playback allows the default mode: \(error)") }
        publisher.start(with: self)
        observePlayer()
    }

    /// Stops the engine and closes the device; blocks, at most two seconds. Nothing plays afterwards.
    public func shutDown() {
        publisher.stop()
        sleepAction?.cancel()
        loadWaiters.answer { _ in .ended(nil) }
        player.shutDown()
    }

    // MARK: Commands

    public func perform(_ command: PlayerCommand, origin: String) async throws(PlayerRefusal) -> PlayerReply {
        guard case .seek(let seek) = command else { return try carryOut(command, origin: origin) }
        return try await perform(seek, origin: origin)
    }
}
