import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("The playhead follows the audio")
    struct PlayheadTests {
        @Test("during playback the playhead follows the device's position, and never steps back")
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
            // The server writes each block of at most 23 ms to the pipe before the block is heard. The host time of recorded frame 0 (`origin`) is
            // computed from the block with the least delay.
            let stamps = rig.recording.stamps
            let samples = rig.recording.samples()
            let silentFrames = try #require(samples.firstIndex { $0 != 0 }) / 2
            let origin = try #require(stamps.map { $0.time - HostTime(seconds: 0) - Double($0.frameCount) / 44_100 }.min())
            let differences = readings.map { reading in
                Double(reading.frame) / 44_100 - (reading.time.seconds - origin - Double(silentFrames) / 44_100)
            }
            #expect(differences.allSatisfy { abs($0) < 0.060 })
        }

        @Test("while the stream is open, the interval is known at which the server requests frames")
        func requestInterval() throws {
            let rig = try RampRig()
            #expect((0.01...1).contains(rig.sink.requestInterval))
            rig.sink.close()
            #expect(rig.sink.requestInterval == 0)
        }

        @Test("after a stop the playhead rests at the device's position, which is the next frame to be played")
        func restsWhenStopped() throws {
            let rig = try RampRig()
            try rig.start(playing: 12_345)
            try rig.sink.stop()
            let rest = rig.sink.playhead
            #expect(!rest.isRunning)
            // After the last played frame, no other one is recorded.
            #expect(rig.recording.wait { $0.played().count >= Int(rest.frame) })
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 10_000))
            #expect(rig.recording.played().count == Int(rest.frame))
            #expect(rig.sink.playhead == rest)
            try rig.sink.start()
            #expect(rig.sink.playhead.isRunning)
            #expect(rig.sink.playhead.frame >= rest.frame)
        }
    }
}
