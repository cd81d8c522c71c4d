import Foundation
import Platform
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Outputs", .serialized)
    struct OutputTests {
        @Test("a move to another output while playing continues at the same position")
        func moves() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 60, seed: 50).frames)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            let client = daemon.client
            try client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try eventually("it plays") { try client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            let listed = try client.send("GET", "/api/v1/outputs").json["outputs"] as? [[String: Any]] ?? []
            // Devices of ALSA are listed on a machine that has some.
            let ids = listed.compactMap { $0["id"] as? String }.filter { !$0.hasPrefix("alsa") }
            #expect(ids == ["auto", "pulse", "pulse:" + PrivatePulseServer.sinkName, "null"])

            let clock = MonotonicClock()
            let (began, start) = (clock.now, try client.time())
            var last = start
            for (id, kind) in [("null", "silent"), ("pulse:" + PrivatePulseServer.sinkName, "pulse"), ("auto", "pulse"), ("null", "silent")] {
                let answer = try client.command("PUT", "/output", ["id": id])
                #expect(answer["chosenId"] as? String == id)
                let output = try client.state()["output"] as? [String: Any]
                #expect(output?["kind"] as? String == kind)
                pause(0.3)
                let now = try client.time()
                #expect(now > last, "\(id)")
                #expect(now <= start + (clock.now - began) + 0.1, "\(id)")
                #expect(try client.state()["timeControlStatus"] as? String == "playing")
                last = now
            }
            // Opening a device takes time, during which playback does not advance. Two seconds are allowed for all changes of the output.
            #expect(last > start + (clock.now - began) - 2)
            #expect(try client.send("PUT", "/api/v1/output", json: ["id": "pulse:nothing"]).status == 404)
        }

        @Test("a surround channel is audible on a stereo device, on its side", arguments: ["BL", "SL"])
        func surround(channel: String) throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 3, seed: 52)
            try folder.wav("noise.wav", noise.frames)
            try folder.encode("noise.wav", to: "film.flac", "-af", "pan=7.1|\(channel)=c0")
            let server = try PrivatePulseServer()
            let recording = try #require(server.recording)
            let daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("film.flac"), "play": true])
            try #require(recording.wait { Heard($0.samples()).sound.count > Noise.rate })
            let sound = Heard(recording.samples()).sound
            let level = sound[...].level
            // The channels are scaled so that all of them together do not clip. With 7.1 a channel has a quarter of its level, or at least 0.18 (−15
            // dB).
            #expect(level.left > 0.18 * noise.frames[...].level.left)
            #expect(level.right < level.left / 100)
        }

        @Test(
            "when the sound server dies and another takes its place, no frame is lost or repeated beyond the dead server's buffer",
            arguments: ["auto", "pulse"])
        func serverDies(output: String) throws {
            let folder = try MediaFolder()
            let noise = Noise(seconds: 60, seed: 53)
            try folder.wav("noise.wav", noise.frames)
            let socket = folder.file("pulse")
            func link(to server: PrivatePulseServer) throws {
                try? FileManager.default.removeItem(atPath: socket)
                try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: String(server.address.dropFirst("unix:".count)))
            }
            let first = try PrivatePulseServer()
            try link(to: first)
            let environment = ["PULSE_SERVER": "unix:\(socket)", "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path]
            let daemon = try Daemon(serving: ["--output", output, "--media-root", folder.path], environment: environment)
            let client = daemon.client
            try client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            let before = try #require(first.recording)
            try #require(before.wait { Heard($0.samples()).sound.count > Noise.rate })
            first.crash()
            try eventually("it says why") { (try client.state()["audioSession"] as? [String: Any])?["silence"] as? String == "noOutput" ? true : nil }
            let time = try client.time()
            pause(0.5)
            #expect(try client.time() == time)

            let second = try PrivatePulseServer()
            let after = try #require(second.recording)
            try link(to: second)
            try eventually("it plays") { try client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            try #require(after.wait { Heard($0.samples()).sound.count > Noise.rate })
            let sound = Heard(after.samples()).sound
            let resumed = try #require(noise.position(of: sound[0..<512]))
            let heard = Heard(before.samples()).sound.count
            #expect(abs(resumed - heard) < Noise.rate / 10, "the first server has played \(heard) frames, and the second one begins with \(resumed)")
            #expect(abs(Double(resumed) / Double(Noise.rate) - time) < 0.001)
        }

        @Test("an output that disappeared is refused, and playback stays on the former one")
        func gone() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 60, seed: 51).frames)
            let server = try PrivatePulseServer()
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path], on: server)
            let client = daemon.client
            try client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try eventually("it plays") { try client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
            server.stop()
            let answer = try client.send("PUT", "/api/v1/output", json: ["id": "pulse:" + PrivatePulseServer.sinkName])
            #expect([404, 409].contains(answer.status))
            #expect(try client.send("GET", "/api/v1/outputs").json["chosenId"] as? String == "null")
            let before = try client.time()
            try eventually("it goes on") { try client.time() > before ? true : nil }
        }
    }
}
