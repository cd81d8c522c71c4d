import AVFoundation
import PlaybackEngine
import Player
import Synchronization

/// Logs what happens to the player's output, and states whether the player can be heard.
@MainActor final class OutputReport {
    /// Returns the reason why nobody can hear the player, in a sentence; nil if it can be heard. Any thread may call it.
    let readiness: @Sendable () -> String?
    /// Whether the file of the output could not be written.
    private(set) var hasWriteFailed = false

    private let outputs: OutputChoices
    private let log: Log
    private let sentence: Sentence
    private var output = PlayerState().output
    private var silence: SilenceReason?
    private var observations: [ObservationToken] = []

    private final class Sentence: Sendable {
        private let text = Mutex<String?>(nil)
        var now: String? { text.withLock { $0 } }
        func set(_ new: String?) { text.withLock { $0 = new } }
    }

    init(_ outputs: OutputChoices, player: PlaylistPlayer, log: Log) {
        self.outputs = outputs
        self.log = log
        let sentence = Sentence()
        self.sentence = sentence
        readiness = { sentence.now }
        observations = [
            player.observe { [weak self] in if case .state(let state) = $0 { self?.stateDidChange(state) } },
            player.player.observeNotices { [weak self] in self?.handle($0) },
        ]
    }

    func stop() {
        for observation in observations { observation.cancel() }
    }

    private func stateDidChange(_ state: PlayerState) {
        outputDidChange(state.output)
        silenceDidChange(state.audioSession.silence)
    }

    private func outputDidChange(_ state: PlayerState.Output) {
        var new = state
        // A failure of the output is logged elsewhere, so it is not compared.
        new.error = nil
        guard new != output else { return }
        output = new
        if new.kind == .null {
            log(.info, "playback is silent: the null output only keeps time", ["output": new.kind.rawValue])
        } else {
            log(.info, "the output is open", ["output": new.kind.rawValue, "id": new.id, "name": new.name])
        }
    }

    private func silenceDidChange(_ new: SilenceReason?) {
        guard new != silence else { return }
        silence = new
        sentence.set(new?.sentence)
        if new == .writeFailed { hasWriteFailed = true }
        if let new {
            let hasStopped = new == .writeFailed
            let message: StaticString = hasStopped ? "the output has failed, and playback has stopped" : "nobody can hear the player, which waits"
            log(.warning, message, ["wanted": outputs.chosenWord, "code": new.rawValue, "reason": new.sentence])
        } else {
            log(.info, "the player can be heard again")
        }
    }

    private func handle(_ notice: AVPlayer.Notice) {
        switch notice {
        case .motionMayHaveChanged, .volumeAdopted: break
        case .outputLost(let error):
            log(
                .warning, "the output was lost",
                ["output": output.kind.rawValue, "id": output.id, "code": error.code.rawValue, "reason": "\(error)"])
        case .noOutput(let error), .outputRefused(let error):
            log(.error, "the selected output cannot be opened", ["wanted": outputs.chosenWord, "code": error.code.rawValue, "reason": "\(error)"])
        }
    }
}

extension SilenceReason {
    /// The reason for users, as one sentence.
    var sentence: String {
        switch self {
        case .systemSleep: "The machine sleeps."
        case .writeFailed: "The output file cannot be written."
        case .noOutput: "The sound server does not respond, or the selected device is absent."
        case .noDevice: "The sound server has no output device."
        case .deviceSuspended: "Another program has suspended the sound device."
        case .otherAudio: "The sound server has muted the player in favour of another program."
        }
    }
}
