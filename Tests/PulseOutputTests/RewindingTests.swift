import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("Devices that mix far ahead")
    struct RewindingTests {
        private let deep = PrivatePulseServer.Device.deep(rate: 44_100, channels: 2)

        @Test("frames given to the device and not played are replaced during playback at the reported frame, and none is lost or repeated")
        func replaces() throws {
            var random = SeededGenerator(seed: 5)
            let rig = try RampRig(deep)
            try rig.startAndPlay()
            var cuts: [(frame: Int64, generation: UInt32)] = []
            var soon = 0
            for _ in 0..<30 {
                try rig.play(frames: 4_000 + random.next(below: 8_000))
                let before = rig.sink.playhead.frame(at: MonotonicClock().now, sampleRate: 44_100)
                let frame = try #require(try rig.replace())
                // The device has mixed 0.2 s ahead. If a replacement starts within 50 ms of the playhead, the device was rewound.
                if frame - before < 44_100 / 20 { soon += 1 }
                cuts.append((frame, rig.generation))
            }
            rig.end = rig.next
            try rig.finish()
            let frames = rig.recording.played()
            // On a busy machine, the single frame of the trial may arrive too late. Then the other frames begin later, and the old generation is
            // heard between them.
            #expect(zip(frames, frames.dropFirst()).count { $0.generation > $1.generation } <= 1)
            let byNumber = Dictionary(frames.map { (Int64($0.number) - 1, $0.generation) }, uniquingKeysWith: { $1 })
            let exact = cuts.count { cut in
                byNumber[cut.frame] == cut.generation && byNumber[cut.frame - 1].map { $0 < cut.generation } == true
            }
            // On a busy machine, up to half of the replacements may be late.
            #expect(exact > cuts.count / 2)
            #expect(soon > cuts.count / 2)
            if exact == cuts.count { #expect(firstBreak(frames) == nil) }
        }

        @Test("late silence begins later, and a stop for it loses no frame after the one it returns")
        func isTooLate() throws {
            let rig = try RampRig(deep)
            try rig.startAndPlay()
            // After this replacement the sink knows that the device rewinds, so the next replacement needs no trial with a single frame.
            #expect(try rig.waitUntilReplaceable())
            try rig.play(frames: 22_050)
            let held = try #require(try rig.sink.hold())
            rig.server.freeze()
            // The thread `late` resumes the server 0.1 s after the time at which the frame `held` would be heard.
            let clock = MonotonicClock()
            let end = clock.now + Double(held - rig.sink.playhead.frame(at: clock.now, sampleRate: 44_100)) / 44_100 + 0.1
            let late = WorkerThread(name: "late") { [server = rig.server] in
                _ = PrivatePulseServer.wait(seconds: 5) { clock.now > end }
                server.thaw()
            }
            let later = try rig.writeEnd(at: held, frames: 220)
            late.join()
            #expect(later > held)
            let landing = try rig.flush()
            rig.end = landing + 44_100
            rig.pump()
            try rig.sink.start()
            try rig.finish()
            let frames = rig.recording.played()
            let first = try #require(frames.firstIndex { $0.generation == rig.generation })
            #expect(firstBreak(Array(frames[first...]), from: UInt32(landing) + 1) == nil)
        }

        @Test("a device that does not rewind plays its data, then the new frames, and after two attempts is stopped instead; no frame is lost")
        func keeps() throws {
            let rig = try RampRig(.deep(rate: 44_100, channels: 2, takesBack: false))
            try rig.startAndPlay()
            var random = SeededGenerator(seed: 6)
            var isHeld = true
            // If the server is about to take frames, `replace` succeeds without a rewind, so more than two attempts may be needed.
            for _ in 0..<60 where isHeld {
                try rig.play(frames: 1_000 + random.next(below: 8_000))
                isHeld = try rig.replace() != nil
            }
            #expect(!isHeld)
            rig.end = rig.next
            try rig.finish()
            let frames = rig.recording.played()
            #expect(firstBreak(frames) == nil)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.generation <= $1.generation })
        }
    }
}

extension RampRig {
    /// Starts the sink, and plays until half a second of the ramp has been heard.
    fileprivate func startAndPlay() throws {
        pump()
        try sink.start()
        try #require(
            recording.wait { _ in
                self.pump()
                return self.sink.playhead.frame(at: MonotonicClock().now, sampleRate: 44_100) > 22_050
            })
    }
}
