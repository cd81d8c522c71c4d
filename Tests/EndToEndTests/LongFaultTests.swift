import Foundation
import PlaybackTesting
import Synchronization
import Testing

extension EndToEndTests {
    /// Long faults of media servers, all at the same time, because each only waits; and faults over TLS.
    @Suite("Long faults of media servers", .serialized)
    struct LongFaultTests {
        /// A stage with a medium of noise.
        private struct Stage {
            private let stage: MediaStage
            private let noise = Noise(seconds: 6, seed: 5)
            private var daemon: Daemon { stage.daemon }
            private var events: EventListener { stage.events }

            init(certificate: String? = nil) throws {
                stage = try MediaStage(["--retry-time", "70"], certificate: certificate)
                try stage.folder.wav("noise.wav", noise.frames)
            }

            /// Plays the medium with faults to its end, with a pause and a command to play every second while the server is away. Returns what was
            /// not as it should be.
            ///
            /// A command that waits for the server is answered after the server's return. So the order of the two decides, and not a duration.
            func play(_ faults: String, seconds: Double) throws -> [String] {
                var defects: [String] = []
                var answeredPairs = 0
                func isLost() -> Bool { events.events("network").last?.object["network"] != nil }
                let item = try daemon.client.command("PUT", "/player/item?wait=20", ["url": stage.media.url("noise.wav", faults), "play": true])
                if item["status"] as? String != "readyToPlay" { defects.append("the item is not ready") }
                try eventually("\(faults): the item has ended", within: seconds + 60) {
                    if isLost() {
                        for command in ["pause", "play"] { try daemon.client.command("POST", "/player/\(command)") }
                        if try daemon.client.state()["network"] != nil { answeredPairs += 1 }
                        pause(1)
                    }
                    return try daemon.client.state()["ended"] as? Bool == true ? true : nil
                }
                if seconds > 8, answeredPairs == 0 { defects.append("the commands were answered after the server's return") }
                // Events arrive after the state that an answer has.
                try eventually("\(faults): the end is told", within: 30) { stage.story.last == "paused" ? true : nil }
                if seconds > 8, !stage.story.states.contains("waiting-lost") { defects.append("playback has not waited") }
                if seconds > 8, events.events("network").isEmpty { defects.append("the lost server was not reported") }
                if events.events("network").last?.object["network"] != nil { defects.append("the server's return was not reported") }
                if !events.events("entryFailed").isEmpty { defects.append("the entry failed") }
                // The client pauses and plays while the server is away, and perhaps once more when it is back.
                let states = /playing(( waiting)?( (playing|waiting|paused)-lost)*( waiting| paused)* playing)? paused/
                if stage.story.afterStart.wholeMatch(of: states) == nil { defects.append("the states are \(stage.story)") }
                if try daemon.memory() > MediaStage.memoryLimit { defects.append("the memory is \(try daemon.memory() >> 20) MiB") }
                let sound = try stage.heard()
                if sound.count != noise.frames.count { defects.append("\(sound.count - noise.frames.count) frames too many") }
                if let first = SampleComparison.firstDifferenceOfSigns(sound, noise.frames) { defects.append("frame \(first) is another one") }
                return defects.map { "\(faults): \($0)" }
            }
        }

        @Test(
            "a server that is silent or away for 10 s, thoroughly for a minute: playback waits, obeys, and continues at the very sample (R-NET-02, R-NET-03)"
        )
        func long() throws {
            let usual = [("stall=10", 10.0), ("outage=10", 10)]
            let faults = usual + (TestDepth.isThorough ? [("stall=20", 20), ("stall=60", 60), ("outage=55", 55)] : [])
            let defects = Mutex<[String]>([])
            let ended = DispatchSemaphore(value: 0)
            for (name, seconds) in faults {
                Thread.detachNewThread {
                    let found: [String]
                    do { found = try Stage().play("\(name)&at=300000&rate=300000", seconds: seconds) } catch { found = ["\(name): \(error)"] }
                    defects.withLock { $0 += found }
                    ended.signal()
                }
            }
            for _ in faults { ended.wait() }
            #expect(defects.withLock { $0 } == [])
        }

        @Test(
            "over TLS, faults that heal are not heard either (R-NET-03)",
            arguments: ["outage=1&at=600000&rate=300000", "stall=5&at=300000&rate=300000", "signed=1&drop=100000"])
        func secure(_ faults: String) throws {
            let folder = try MediaFolder()
            let (key, certificate) = (folder.file("key.pem"), folder.file("certificate.pem"))
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
            openssl.arguments? += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            openssl.waitUntilExit()
            let both = try Data(contentsOf: URL(filePath: certificate)) + Data(contentsOf: URL(filePath: key))
            let defects = try Stage(certificate: folder.bytes("both.pem", both)).play(faults, seconds: 6)
            #expect(defects == [])
        }
    }
}
