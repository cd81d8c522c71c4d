import AVFoundation
import PlaybackEngine
import Playlist
import Synchronization

/// Knows whether playing would work, says where sound goes, and sees to it that a better output is taken as soon as there is one.
@MainActor final class OutputWatch {
    /// Why playing would not work; nil where it would. Any thread.
    let readiness: @Sendable () -> String?

    private let outputs: OutputChoices
    private let player: PlaylistPlayer
    private let log: Log
    private let obstacle: Obstacle
    private var output = PlayerState().output
    private var observations: [ObservationToken] = []
    private lazy var monitor = OutputMonitor(
        interval: interval,
        isReachable: { [weak self, interval, outputs, connection] in
            let found = outputs.connect(timeout: interval) { Task { @MainActor in self?.serverIsLost() } }
            connection.hold(found)
            return found != nil
        }
    ) { [weak self] in
        Task { @MainActor in self?.serverAnswers() }
    }
    private let interval: Double
    private let connection = Connection()

    /// Tells that the server has gone while nothing plays on it: then there is no stream that would.
    private final class Connection: Sendable {
        private let held = Mutex<(any Sendable)?>(nil)
        var isHeld: Bool { held.withLock { $0 != nil } }
        func hold(_ new: (any Sendable)?) {
            // What was held is let go of outside the lock: that waits for a thread to end.
            let former = held.withLock { held in
                defer { held = new }
                return held
            }
            _ = former
        }
    }

    private final class Obstacle: Sendable {
        private let sentence = Mutex<String?>(nil)
        var now: String? { sentence.withLock { $0 } }
        func set(_ new: String?) { sentence.withLock { $0 = new } }
    }

    /// Follows the player from here on.
    ///
    /// - Parameters:
    ///   - interval: seconds between two looks for a server, and the longest that one look takes.
    init(_ outputs: OutputChoices, player: PlaylistPlayer, interval: Double, log: Log) {
        self.outputs = outputs
        self.player = player
        self.interval = interval
        self.log = log
        let obstacle = Obstacle()
        self.obstacle = obstacle
        readiness = { obstacle.now }
        observations = [
            player.observe { [weak self] in if case .state(let state) = $0 { self?.stateDidChange(state) } },
            player.player.observeNotices { [weak self] in self?.handle($0) },
        ]
    }

    /// Follows the choice from here on, and begins to look for the server, if the chosen output needs one.
    func start() {
        outputs.onChange { [weak self] in self?.choiceDidChange() }
        if outputs.needsServer {
            obstacle.set("The sound server has not answered yet.")
            monitor.look(true)
        }
    }

    func stop() {
        for observation in observations { observation.cancel() }
        monitor.stop()
        connection.hold(nil)
    }

    private func choiceDidChange() {
        obstacle.set(nil)
        if !outputs.needsServer { connection.hold(nil) }
        look()
    }

    /// Looks for a server that is missed, or of which nobody would tell that it has gone.
    private func look() {
        monitor.look(outputs.chosen.kind == .auto ? output.kind == .null : outputs.needsServer && !connection.isHeld)
    }

    private func stateDidChange(_ state: PlayerState) {
        outputDidChange(state.output)
        if state.timeControlStatus == .playing { obstacle.set(nil) }
    }

    private func outputDidChange(_ state: PlayerState.Output) {
        var new = state
        // The failure of an output has been logged already.
        new.error = nil
        guard new != output else { return }
        output = new
        obstacle.set(nil)
        if outputs.chosen.kind == .auto, new.kind == .null {
            log(.warning, "no sound server answers: playing in silence until one does", ["output": new.kind.rawValue])
        } else if new.kind == .null {
            log(.info, "silent: the null output keeps time and plays nothing", ["output": new.kind.rawValue])
        } else {
            log(.info, "sound goes to", ["output": new.kind.rawValue, "id": new.id, "name": new.name])
        }
        look()
    }

    private func handle(_ notice: AVPlayer.Notice) {
        switch notice {
        case .motionMayHaveChanged: break
        case .outputLost(let error): outputWasLost(error)
        case .noOutput(let error): outputDidFail(error)
        }
    }

    private func outputWasLost(_ error: PlaybackError) {
        log(
            .warning, "the sound output is lost",
            ["output": output.kind.rawValue, "id": output.id, "code": error.code.rawValue, "reason": "\(error)"])
    }

    private func outputDidFail(_ error: PlaybackError) {
        let kind = outputs.chosen.kind
        // The null output always opens, and is the last of the automatic ones.
        guard kind != .auto, kind != .null else { return }
        obstacle.set("No sound output can be opened.")
        log(.error, "no sound output can be opened", ["wanted": outputs.chosenWord, "code": error.code.rawValue, "reason": "\(error)"])
        if outputs.needsServer { monitor.look(true) }
    }

    private func serverAnswers() {
        player.player.reselectOutput()
        if outputs.needsServer {
            obstacle.set(nil)
            monitor.look(false)
        } else {
            connection.hold(nil)
        }
    }

    private func serverIsLost() {
        guard outputs.needsServer, connection.isHeld else { return }
        connection.hold(nil)
        obstacle.set("The sound server has gone.")
        monitor.look(true)
    }
}
