import Foundation
import Platform
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// The sleep of the machine and the lock of its screen, which logind announces.
    @Suite("The machine's sleep", .serialized)
    struct SleepTests {
        private let folder: MediaFolder
        private let logind: FakeLogind
        private let daemon: Daemon
        private var client: HTTPClient { daemon.client }

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 60, seed: 56).frames)
            logind = try FakeLogind()
            daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path], environment: logind.environment)
            try client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.wav"), "play": true])
            try waitUntilPlaying()
            try logind.waitForDelay()
        }

        private func status() throws -> String? { try client.state()["timeControlStatus"] as? String }
        private func silence() throws -> String? { (try client.state()["audioSession"] as? [String: Any])?["silence"] as? String }
        private func waitUntilPlaying() throws { try eventually("it plays") { try status() == "playing" ? true : nil } }

        /// Announces the sleep, and waits until the program allows it.
        private func sleep() throws {
            try logind.announceSleep(true)
            try logind.waitForSleep()
        }

        @Test(
            "playback has paused when the program allows the sleep, resumes at the same position afterwards, and the next sleep is delayed too (R-LNX-40)"
        )
        func sleepAndWake() throws {
            for _ in 0..<2 {
                try sleep()
                #expect(try status() == "paused" && silence() == "systemSleep")
                // Until the end of the fade-out.
                let time = try eventually("time stands still") {
                    let time = try client.time()
                    pause(0.2)
                    return try client.time() == time ? time : nil
                }
                pause(0.5)
                #expect(try client.time() == time)
                let clock = MonotonicClock(), woken = clock.now
                try logind.announceSleep(false)
                try waitUntilPlaying()
                #expect(try client.time() >= time && client.time() - time < clock.now - woken)
                #expect(try silence() == nil)
                try logind.waitForDelay()
            }
        }

        @Test("what was paused before the sleep stays paused (R-LNX-40)")
        func paused() throws {
            try client.command("POST", "/player/pause")
            try sleep()
            #expect(try silence() == "systemSleep")
            try logind.announceSleep(false)
            try eventually("it has woken") { try silence() == nil ? true : nil }
            #expect(try status() == "paused")
        }

        @Test("a locked screen silences nothing (R-LNX-35)")
        func locked() throws {
            try logind.lock()
            let time = try client.time()
            try eventually("time advances") { try client.time() > time + 1 ? true : nil }
            #expect(try status() == "playing" && silence() == nil)
        }

        @Test("a bus that ends during the sleep ends the pause, and the next bus announces the next sleep (R-LNX-40)")
        func otherBus() throws {
            try sleep()
            try logind.restartBus()
            try waitUntilPlaying()
            try logind.waitForDelay()
            try sleep()
            #expect(try status() == "paused" && silence() == "systemSleep")
            try logind.announceSleep(false)
            try waitUntilPlaying()
        }
    }
}
