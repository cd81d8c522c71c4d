import AVFoundation
import Platform
import PlaybackTesting
import Player

@testable import RemoteControl

/// The API with the real playlist player on a scripted engine. There are no sockets and no audio, and the time does not advance.
@MainActor final class SharedPlayer {
    let rig = ScriptedRig()
    let player: PlaylistPlayer
    let api: RemoteAPI

    /// - Parameters:
    ///   - home: The folder with the media.
    ///   - files: The names of the media in that folder, all of which can be played.
    init(_ home: TemporaryDirectory, files: [String]) throws {
        for file in files { rig.add(home.path.dropFirst() + "/" + file, ScriptedMedium(seconds: 100)) }
        player = PlaylistPlayer(environment: rig.environment, seed: 1)
        var configuration = RemoteAPI.Configuration(media: try PathConfinement(roots: [home.path]))
        configuration.epoch = "e0"
        api = RemoteAPI(
            player: player, configuration: configuration, clock: rig.clock, scheduler: rig.scheduler, limits: EventBroadcast.Limits(),
            runner: { $0() })
    }

    func close() {
        api.close()
        player.shutDown()
    }

    /// Sends a request in the name of a client, and returns the response.
    func send(_ client: String, _ method: String, _ path: String, headers: [(String, String)] = [], json: String? = nil) async -> Reply {
        let request = TestRig.request(method, path, headers: headers + [("Tonearm-Client", client)], json: json)
        let box = Box()
        if let response = api.respond(to: request, completion: { response in Task { @MainActor in box.response = response } }) {
            return Reply(response)
        }
        while box.response == nil {
            rig.run()
            await Task.yield()
        }
        rig.run()
        guard let response = box.response else { preconditionFailure("the loop ends with a response") }
        return Reply(response)
    }

    @MainActor private final class Box {
        var response: HTTPResponse?
        nonisolated init() {}
    }
}
