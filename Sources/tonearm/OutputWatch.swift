import AVFoundation
import PlaybackEngine
import Playlist
import PulseOutput
import Synchronization

/// Knows whether playing would work, says where sound goes, and sees to it that a better output is taken as soon as there is one.
@MainActor final class OutputWatch {
    /// Why playing would not work; nil where it would. Any thread.
    let readiness: @Sendable () -> String?

    private var choice: Options.Output
    private let player: PlaylistPlayer
    private let log: Log
    private let obstacle: Obstacle
    private var output = PlayerState().output
    private lazy var monitor = OutputMonitor(interval: interval, isReachable: { [interval] in PulseServer.isReachable(timeout: interval) }) {
        [weak self] in
        Task { @MainActor in self?.serverAnswers() }
    }
    private let interval: Double

    private final class Obstacle: Sendable {
        private let sentence = Mutex<String?>(nil)
        var now: String? { sentence.withLock { $0 } }
        func set(_ new: String?) { sentence.withLock { $0 = new } }
    }

    /// - Parameter interval: seconds between two looks for a server, and the longest that one look takes.
    init(_ choice: Options.Output, player: PlaylistPlayer, interval: Double, log: Log) {
        self.choice = choice
        self.player = player
        self.interval = interval
        self.log = log
        let obstacle = Obstacle()
        self.obstacle = obstacle
        readiness = { obstacle.now }
    }

    /// Follows the player from here on; whoever observed it before goes on being told.
    func start() {
        let tellState = player.stateDidChange
        player.stateDidChange = { [weak self] state in
            self?.stateDidChange(state)
            tellState?(state)
        }
        player.player.outputDidFail = { [weak self] in self?.outputDidFail() }
        if choice == .pulse {
            obstacle.set("The sound server has not answered yet.")
            monitor.look(true)
        }
    }

    func stop() {
        monitor.stop()
    }

    /// Another output was chosen, and sound goes there.
    func choose(_ new: Options.Output) {
        choice = new
        obstacle.set(nil)
        monitor.look(new == .auto && output.kind == "null")
    }

    private func stateDidChange(_ state: PlayerState) {
        outputDidChange(state.output)
        if state.timeControlStatus == "playing" { obstacle.set(nil) }
    }

    private func outputDidChange(_ new: PlayerState.Output) {
        guard new != output else { return }
        output = new
        obstacle.set(nil)
        if choice == .auto, new.kind == "null" {
            log(.warning, "no sound server answers: playing in silence until one does", ["output": new.kind])
        } else if new.kind == "null" {
            log(.info, "silent: the null output keeps time and plays nothing", ["output": new.kind])
        } else {
            log(.info, "sound goes to", ["output": new.kind, "id": new.id, "name": new.name])
        }
        monitor.look(choice == .auto && new.kind == "null")
    }

    private func outputDidFail() {
        switch choice {
        // The null output always opens: it comes next.
        case .auto, .null: return
        case .pulse, .file: break
        }
        obstacle.set("No sound output can be opened.")
        log(.error, "no sound output can be opened", ["wanted": "\(choice)"])
        if choice == .pulse { monitor.look(true) }
    }

    private func serverAnswers() {
        player.player.reselectOutput()
        if choice == .pulse {
            obstacle.set(nil)
            monitor.look(false)
        }
    }
}
