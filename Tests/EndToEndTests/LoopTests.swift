import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Plays loops of one second through real PulseAudio servers, with five codecs at once.
    @Suite("Loops", .serialized)
    struct LoopTests {
        /// The number of turns of each loop.
        private static let turns = TestDepth.isThorough ? 100 : 10
        private static let piece = Noise(seconds: 4, seed: 71)

        /// A process of the program that plays one codec, with a sound server and a recording of that server's sink.
        private struct Player {
            let coding: GaplessTests.Coding
            let server: PrivatePulseServer
            let daemon: Daemon
            let recording: PulseRecording
            /// The frames that the sound server receives if the medium is played once without a loop.
            var source: [Noise.Frame] = []
        }

        private let folder: MediaFolder
        init() throws { folder = try MediaFolder() }

        private func start(_ coding: GaplessTests.Coding) throws -> Player {
            let name = "noise.\(coding.name)"
            try folder.wav("noise-\(coding.name).wav", Self.piece.frames, rate: coding.rate)
            try folder.encode("noise-\(coding.name).wav", to: name, coding.arguments)
            let server = try PrivatePulseServer(.pipe(rate: coding.rate, channels: 2))
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            return Player(coding: coding, server: server, daemon: daemon, recording: try #require(server.recording))
        }

        /// Plays the medium once without a loop, and stores what the sound server received.
        private func playStraight(_ player: inout Player) throws {
            _ = try player.daemon.client.command("PUT", "/queue", ["entries": [["url": folder.url("noise.\(player.coding.name)")]], "play": true])
            let daemon = player.daemon
            try eventually("the item has ended", within: 30) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
            try #require(player.recording.waitForSilence(of: player.coding.rate / 2))
            player.source = Array(Heard(player.recording.samples()).soundWithHoles)
        }

        @Test("every sample of every turn is that of uninterrupted playback, in five codings")
        func turns() throws {
            var players = try GaplessTests.codings.map(start)
            defer { for player in players { player.server.stop() } }
            for index in players.indices { try playStraight(&players[index]) }
            var first: [Int] = []
            for player in players {
                first.append(player.recording.frameCount)
                _ = try player.daemon.client.command(
                    "PUT", "/player/item?wait=10", ["url": folder.url("noise.\(player.coding.name)"), "play": false])
                _ = try player.daemon.client.command("PUT", "/player/loop", ["start": 1.25, "end": 2.25])
                _ = try player.daemon.client.command("POST", "/player/play", [:])
            }
            for (index, player) in players.enumerated() {
                let wanted = first[index] + player.coding.rate * (Self.turns + 3)
                try #require(player.recording.wait(forFrameCount: wanted, seconds: Double(Self.turns) + 60))
                let rate = player.coding.rate
                let (start, end) = (rate * 5 / 4, rate * 9 / 4)
                let heard = Heard(player.recording.samples(from: first[index])).soundWithHoles
                let found = SampleComparison.loop(heard.prefix(rate * (Self.turns + 1)), player.source, over: start..<end)
                #expect(found.differences == 0, "\(player.coding.name)")
                #expect(found.turns >= Self.turns - 1, "\(player.coding.name)")
            }
        }
    }
}
