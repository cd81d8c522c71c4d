import CoreMedia
import PlaybackEngine
import PlaybackTesting

@testable import AVFoundation
@testable import Player

/// A playlist player on a scripted engine, with a record of its states and events.
@MainActor final class PlaylistRig {
    let rig: ScriptedRig
    let player: PlaylistPlayer
    private(set) var states: [PlayerState] = []
    private(set) var events: [PlayerEvent] = []
    private var observation: ObservationToken?

    init(canReverse: Bool = false, restoring saved: SavedPlayer? = nil, presence: (any MediaPresence)? = nil) {
        rig = ScriptedRig(canReverse: canReverse)
        player = PlaylistPlayer(environment: rig.environment, seed: 1, restoring: saved, presence: presence)
        observation = player.observe { [weak self] notice in
            switch notice {
            case .state(let state): self?.states.append(state)
            case .event(let event): self?.events.append(event)
            }
        }
    }

    func clear() {
        states = []
        events = []
    }

    /// Adds a medium to the scripted engine, and returns the spec of an entry that plays it.
    func spec(_ name: String, seconds: Double = 10) -> EntrySpec {
        rig.add(name, ScriptedMedium(seconds: seconds))
        return spec(of: name)
    }
    func spec(of name: String, title: String? = nil) -> EntrySpec {
        EntrySpec(source: MediaSource(.file(path: "/" + name)), url: "file:///" + name, title: title)
    }

    @discardableResult func perform(_ command: PlayerCommand, origin: String = "test") async throws(PlayerRefusal) -> PlayerReply {
        try await player.perform(command, origin: origin)
    }

    /// Appends entries, and returns their ids.
    @discardableResult func append(_ specs: [EntrySpec]) async throws(PlayerRefusal) -> [String] {
        guard case .entries(let ids) = try await perform(.insert(specs, at: .end, play: false)) else { return [] }
        return ids
    }

    /// Seeks, and runs the turns of the main actor that the engine's answer needs.
    func seek(_ target: SeekCommand.Target, tolerance: SeekCommand.Tolerance = .exact) async throws -> PlayerReply {
        let task = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: target, tolerance: tolerance)), origin: "test") }
        await Task.yield()
        rig.run()
        return try await task.value
    }
}
