import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("The playhead tells what is heard")
    struct PlayheadTests {
        @Test("while it plays, the playhead keeps to what the device has played, and never steps back")
        func keepsStep() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            let clock = MonotonicClock()
            var last: Int64 = 0
            var readings: [(time: HostTime, frame: Int64)] = []
            for _ in 0..<60 {
                try rig.play(frames: 2_000)
                let time = clock.now
                let frame = rig.sink.playhead.frame(at: time, sampleRate: 44_100)
                #expect(frame >= last)
                last = frame
                readings.append((time, frame))
            }
            // The pipe is written one block, of 23 ms at most, before it is heard; recorded frame n arrives on the line through the least delayed.
            let stamps = rig.recording.stamps
            let samples = rig.recording.samples()
            let firstSound = try #require(samples.firstIndex { $0 != 0 }) / 2
            let origin = try #require(stamps.map { $0.time - HostTime(seconds: 0) - Double($0.frameCount) / 44_100 }.min())
            let differences = readings.map { reading in
                Double(reading.frame) / 44_100 - (reading.time.seconds - origin - Double(firstSound) / 44_100)
            }
            #expect(differences.allSatisfy { abs($0) < 0.060 })
        }

        @Test("stopped, it rests at the frame that the device has come to, which is the next to be played")
        func restsWhenStopped() throws {
            let rig = try RampRig()
            try rig.start(playing: 12_345)
            try rig.sink.stop()
            let rest = rig.sink.playhead
            #expect(!rest.isRunning)
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 10_000))
            #expect(rig.recording.played().count == Int(rest.frame))
            #expect(rig.sink.playhead == rest)
            try rig.sink.start()
            #expect(rig.sink.playhead.isRunning)
            #expect(rig.sink.playhead.frame >= rest.frame)
        }
    }
}
