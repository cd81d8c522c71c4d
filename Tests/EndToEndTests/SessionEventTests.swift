import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Events of the sound server about the program's audio (a call, a removed device), which clients receive as events of the audio session.
    @Suite("Session events", .serialized)
    struct SessionEventTests {
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let daemon: Daemon
        private let listener: EventListener

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 20, seed: 60).frames)
            try folder.encode("noise.wav", to: "tagged.flac", "-metadata", "title=Twenty seconds", "-metadata", "artist=Nobody")
            server = try PrivatePulseServer(
                modules: [
                    "module-role-cork", "module-rescue-streams", "module-null-sink sink_name=other sink_properties=device.description=Elsewhere",
                ])
            // The recorded sink is the last one, and by default PulseAudio connects streams to the first one. So it is made the default.
            try server.control("set-default-sink", PrivatePulseServer.sinkName)
            daemon = try Daemon(serving: ["--output", "pulse", "--media-root", folder.path], on: server)
            listener = try EventListener(port: daemon.port)
            try eventually("it listens") { listener.events.isEmpty ? nil : true }
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("tagged.flac"), "play": true])
            try waitUntil("playing")
        }

        private func waitUntil(_ status: String) throws {
            try eventually(status) { try daemon.client.state()["timeControlStatus"] as? String == status ? true : nil }
        }
        private func last(_ type: String, _ count: Int) throws -> [String: Any] {
            try eventually("\(type) number \(count)") { listener.events(type).count >= count ? listener.events(type)[count - 1].object : nil }
        }
        private func uids(_ event: [String: Any], _ route: String) -> [String] {
            ((event[route] as? [String: Any])?["outputs"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
        }

        @Test("tags and buffer of a medium are reported after it was opened")
        func medium() throws {
            let metadata = try last("metadata", 1)
            #expect(metadata["title"] as? String == "Twenty seconds" && metadata["artist"] as? String == "Nobody")
            let buffer = try eventually("the buffer is reported") {
                listener.events("buffer").first { $0.object["isPlaybackLikelyToKeepUp"] as? Bool == true }
            }
            #expect(buffer.id == nil && buffer.object["itemId"] as? String == metadata["itemId"] as? String)
            let range = (buffer.object["loadedTimeRanges"] as? [[String: Any]])?.first
            #expect(range?["start"] as? Double == 0 && range?["end"] as? Double == 20)
        }

        @Test("a call interrupts playback, which resumes after it")
        func call() throws {
            let call = Process()
            call.executableURL = URL(filePath: "/usr/bin/env")
            call.arguments = ["PULSE_SERVER=" + server.address, "pacat", "--playback", "--property=media.role=phone", "/dev/zero"]
            call.standardOutput = FileHandle.nullDevice
            call.standardError = FileHandle.nullDevice
            try call.run()
            let began = try last("interruption", 1)
            #expect(began["type"] as? String == "began" && began["reason"] as? String == "default")
            try waitUntil("paused")
            #expect((try daemon.client.state()["audioSession"] as? [String: Any])?["isInterrupted"] as? Bool == true)
            let change = try #require(listener.events("rateDidChange").last)
            #expect(change.object["reason"] as? String == "audioSessionInterrupted")
            // The sound server asks only a paused stream to resume. So the call must not end before the server knows that the stream is paused.
            try eventually("the server knows about the pause") { try server.lists("Corked: yes", among: "sink-inputs") ? true : nil }
            kill(call.processIdentifier, SIGKILL)
            call.waitUntilExit()
            let ended = try last("interruption", 2)
            #expect(ended["type"] as? String == "ended" && ended["shouldResume"] as? Bool == true)
            try waitUntil("playing")
        }

        @Test("a moved stream plays on the other device, and pauses if that device disappears")
        func routes() throws {
            try server.control("move-sink-input", "0", "other")
            let moved = try last("routeChange", 1)
            #expect(moved["reason"] as? String == "override")
            #expect(uids(moved, "previousRoute") == [PrivatePulseServer.sinkName] && uids(moved, "currentRoute") == ["other"])
            #expect(try daemon.client.state()["timeControlStatus"] as? String == "playing")
            #expect((try daemon.client.state()["output"] as? [String: Any])?["name"] as? String == "Elsewhere")

            try server.control("unload-module", "module-null-sink")
            let gone = try last("routeChange", 2)
            #expect(gone["reason"] as? String == "oldDeviceUnavailable")
            #expect(uids(gone, "previousRoute") == ["other"] && uids(gone, "currentRoute") == [PrivatePulseServer.sinkName])
            #expect(try last("interruption", 1)["reason"] as? String == "routeDisconnected")
            try waitUntil("paused")
            // Playback does not resume because a removed device is back; it resumes after the command `play`.
            try daemon.client.command("POST", "/player/play")
            try waitUntil("playing")
            #expect((try daemon.client.state()["audioSession"] as? [String: Any])?["isInterrupted"] as? Bool == false)
        }

        @Test("choosing another output is reported as a route change")
        func chosen() throws {
            try daemon.client.command("PUT", "/output", ["id": "null"])
            let event = try last("routeChange", 1)
            #expect(event["reason"] as? String == "override" && uids(event, "previousRoute") == [PrivatePulseServer.sinkName])
            let port = ((event["currentRoute"] as? [String: Any])?["outputs"] as? [[String: Any]])?.first
            #expect(port?["portType"] as? String == "Virtual" && port?["portName"] as? String == "No sound")
        }
    }
}
