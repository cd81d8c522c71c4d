import AVFoundation
import Platform
import PlaybackEngine
import Player
import Synchronization

/// Follows the player's output: logs it, reports whether playback is possible, and selects a better output as soon as there is one.
@MainActor final class OutputRecovery {
    /// Returns the reason why playback is not possible at present; nil if it is possible. Any thread may call it.
    let readiness: @Sendable () -> String?

    private let outputs: OutputChoices
    private let player: PlaylistPlayer
    private let log: Log
    private let obstacle: Obstacle
    private var output = PlayerState().output
    private var observations: [ObservationToken] = []
    private lazy var search = ServerSearch(
        interval: interval,
        isReachable: { [weak self, interval, outputs, connection] in
            let found = outputs.connect(timeout: interval) { Task { @MainActor in self?.serverWasLost() } }
            connection.hold(found)
            return found != nil
        }
    ) { [weak self] in
        Task { @MainActor in self?.serverWasFound() }
    }
    private let interval: Double
    private let connection = Connection()

    /// Keeps an extra connection to the sound server (`PulsePresence`): without an open stream, only this connection shows the loss of the server.
    private final class Connection: Sendable {
        private let held = Mutex<(any Sendable)?>(nil)
        var isHeld: Bool { held.withLock { $0 != nil } }
        func hold(_ new: (any Sendable)?) {
            // The former connection is released outside the lock, because its release waits for a thread.
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

    /// - Parameter interval: The time between two attempts to find a sound server, and the limit of one attempt, in seconds.
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

    /// Observes the choices, and searches for a sound server if the chosen output needs one.
    func start() {
        outputs.onChange { [weak self] in self?.choiceDidChange() }
        if outputs.needsServer {
            obstacle.set("The sound server has not responded yet.")
            search.setSearching(true)
        }
    }

    func stop() {
        for observation in observations { observation.cancel() }
        search.stop()
        connection.hold(nil)
    }

    private func choiceDidChange() {
        obstacle.set(nil)
        if !outputs.needsServer { connection.hold(nil) }
        updateSearch()
    }

    /// The search is necessary while `auto` uses the null output, or the chosen output's server has no extra connection.
    private func updateSearch() {
        search.setSearching(outputs.chosen.kind == .auto ? output.kind == .null : outputs.needsServer && !connection.isHeld)
    }

    private func stateDidChange(_ state: PlayerState) {
        outputDidChange(state.output)
        if state.timeControlStatus == .playing { obstacle.set(nil) }
    }

    private func outputDidChange(_ state: PlayerState.Output) {
        var new = state
        // A failure of the output is logged elsewhere, so it is not compared.
        new.error = nil
        guard new != output else { return }
        output = new
        obstacle.set(nil)
        if outputs.chosen.kind == .auto, new.kind == .null {
            log(.warning, "no sound server responds: playback is silent until one does", ["output": new.kind.rawValue])
        } else if new.kind == .null {
            log(.info, "playback is silent: the null output only keeps time", ["output": new.kind.rawValue])
        } else {
            log(.info, "the output is open", ["output": new.kind.rawValue, "id": new.id, "name": new.name])
        }
        updateSearch()
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
            .warning, "the output was lost",
            ["output": output.kind.rawValue, "id": output.id, "code": error.code.rawValue, "reason": "\(error)"])
    }

    private func outputDidFail(_ error: PlaybackError) {
        let kind = outputs.chosen.kind
        // `auto` tries the null output last, which always opens.
        guard kind != .auto, kind != .null else { return }
        obstacle.set("The selected output cannot be opened.")
        log(.error, "the selected output cannot be opened", ["wanted": outputs.chosenWord, "code": error.code.rawValue, "reason": "\(error)"])
        if outputs.needsServer { search.setSearching(true) }
    }

    private func serverWasFound() {
        player.player.reselectOutput()
        if outputs.needsServer {
            obstacle.set(nil)
            search.setSearching(false)
        } else {
            connection.hold(nil)
        }
    }

    private func serverWasLost() {
        guard outputs.needsServer, connection.isHeld else { return }
        connection.hold(nil)
        obstacle.set("The connection to the sound server was lost.")
        search.setSearching(true)
    }
}
