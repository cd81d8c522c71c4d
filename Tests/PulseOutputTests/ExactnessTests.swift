import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("Every frame is played once and unchanged")
    struct ExactnessTests {
        @Test("the recording equals the rendered samples bit for bit at volume 1")
        func identicalSamples() throws {
            let rig = try RampRig()
            rig.end = 100_000
            rig.pump()
            try rig.sink.start()
            try rig.finish()
            let frames = rig.recording.played()
            #expect(frames.count == 100_000)
            #expect(firstBreak(frames) == nil)
        }

        @Test("60, thoroughly 200 random stops and starts lose and repeat no frame")
        func randomStops() throws {
            var random = SeededGenerator(seed: 2)
            let rig = try RampRig()
            for _ in 0..<(TestDepth.isThorough ? 200 : 60) {
                rig.pump()
                try rig.sink.start()
                try rig.play(frames: random.next(below: 1_500))
                try rig.sink.stop()
                if random.next(below: 3) == 0 { try rig.play(frames: random.next(below: 1_500)) }
            }
            rig.end = rig.next
            try rig.sink.start()
            try rig.finish()
            let frames = rig.recording.played()
            #expect(frames.count == Int(rig.end))
            #expect(firstBreak(frames) == nil)
        }

        @Test("after a flush playback continues at exactly the returned frame, and no withdrawn frame is heard")
        func randomFlushes() throws {
            var random = SeededGenerator(seed: 3)
            let rig = try RampRig()
            var cuts: [Int64] = []
            rig.pump()
            try rig.sink.start()
            for _ in 0..<60 {
                try rig.play(frames: random.next(below: 4_000))
                if random.next(below: 4) == 0 { try rig.sink.stop() }
                let frame = try rig.flush()
                #expect(rig.sink.playhead.frame == frame)
                #expect(rig.source.renderedFrames == frame)
                cuts.append(frame)
                if random.next(below: 4) == 0 { cuts.append(try rig.flush()) }
                if random.next(below: 2) == 0 { rig.pump() }
                try rig.sink.start()
                rig.pump()
            }
            rig.end = rig.next
            try rig.finish()
            let frames = rig.recording.played()
            #expect(firstBreak(frames) == nil)
            // The generation of frame n is the number of flushes whose returned frame is at most n.
            let wrong = frames.first { frame in
                frame.generation != UInt32(cuts.count { $0 <= Int64(frame.number) - 1 }) & 0xFF
            }
            #expect(wrong == nil)
            #expect(cuts == cuts.sorted())
        }

        @Test("on a low-latency device, frames not yet taken are replaced while it plays, and none is lost or repeated")
        func replaces() throws {
            var random = SeededGenerator(seed: 4)
            let rig = try RampRig()
            try rig.server.addListener(milliseconds: 10)
            rig.pump()
            try rig.sink.start()
            // The stream measures the device's latency about once a second, so the first replacements may be impossible.
            #expect(try rig.waitUntilReplaceable())
            var cuts: [(frame: Int64, generation: UInt32)] = []
            for _ in 0..<40 {
                try rig.play(frames: 200 + random.next(below: 4_000))
                let frame = try #require(try rig.replace())
                cuts.append((frame, rig.generation))
            }
            rig.end = rig.next
            try rig.finish()
            let frames = rig.recording.played()
            #expect(firstBreak(frames) == nil)
            // The new frames are recorded from exactly the reported frame on.
            let byNumber = Dictionary(uniqueKeysWithValues: frames.map { (Int64($0.number) - 1, $0.generation) })
            #expect(cuts.allSatisfy { byNumber[$0.frame] == $0.generation })
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.generation <= $1.generation })
            // The recording has no silence between the frames, unless the machine was busy. The limit is 25 ms for each of the 40 replacements, on
            // average.
            #expect(rig.recording.silentFrames() < 40 * 4_410 / 4)
        }

        @Test("a device that mixes far ahead and may not rewind, or does not play, returns no frames, and continues")
        func refusesToHold() throws {
            // A filter sink does not report whether it rewinds.
            let server = try PrivatePulseServer(
                .none, modules: ["module-null-sink sink_name=master", "module-remap-sink sink_name=far master=master"])
            defer { server.stop() }
            let sink = PulseOutputProvider.patient(server.address, sinkName: "far").makeSink()
            defer { sink.close() }
            let source = RenderRing(minimumCapacity: 300_000, channelCount: 2)
            _ = source.write([Float](repeating: 0, count: 600_000), frameCount: 300_000)
            try sink.open(.compactDisc, source: source, base: 0) { _ in }
            #expect(try sink.hold() == nil)
            try sink.start()
            #expect(PrivatePulseServer.wait(seconds: 10) { sink.playhead.frame(at: MonotonicClock().now, sampleRate: 44_100) > 20_000 })
            #expect(try sink.hold() == nil)
            #expect(sink.playhead.isRunning)
            #expect(PrivatePulseServer.wait(seconds: 10) { source.renderedFrames > 150_000 })
        }

        @Test("the first frame has the given number, and a reopened stream continues the numbering")
        func baseIsKept() throws {
            let rig = try RampRig(base: 5_000)
            #expect(rig.sink.playhead == Playhead(frame: 5_000, hostTime: rig.sink.playhead.hostTime, isRunning: false))
            try rig.start(playing: 10_000)
            let first = try rig.flush()
            #expect(first > 5_000)
            rig.sink.close()
            try rig.sink.open(.compactDisc, source: rig.source, base: first) { _ in }
            rig.end = first + 20_000
            rig.pump()
            try rig.sink.start()
            try rig.finish()
            #expect(firstBreak(rig.recording.played(), from: 5_001) == nil)
        }

        @Test("an underrun loses and repeats no frame, and the playhead rests at the last frame")
        func underrun() throws {
            let rig = try RampRig()
            rig.end = 10_000
            rig.pump()
            try rig.sink.start()
            #expect(rig.events.first { if case .underflow = $0 { true } else { nil } } == true)
            #expect(PrivatePulseServer.wait(seconds: 10) { !rig.sink.playhead.isRunning })
            #expect(rig.sink.playhead.frame == 10_000)
            // The sink reports the underrun when the server has taken the last frame, and reports it again when that frame has been heard.
            #expect(PrivatePulseServer.wait(seconds: 10) { rig.events.all.count { if case .underflow = $0 { true } else { false } } >= 2 })
            rig.end = 40_000
            try rig.finish()
            #expect(PrivatePulseServer.wait(seconds: 10) { rig.sink.playhead.frame > 10_000 })
            #expect(firstBreak(rig.recording.played()) == nil)
        }

        @Test("a stream started without frames plays those that arrive, and the playhead waits for them")
        func startedEmpty() throws {
            let rig = try RampRig()
            try rig.sink.start()
            #expect(rig.sink.playhead.frame == 0)
            try rig.play(frames: 0)
            rig.end = 0
            try rig.play(frames: 8_000)
            #expect(rig.sink.playhead.frame == 0)
            rig.end = 20_000
            try rig.finish()
            #expect(firstBreak(rig.recording.played()) == nil)
        }
    }
}

extension SeededGenerator {
    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
