import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

@Suite("The steps of a volume")
struct VolumeStepTests {
    /// Plays a tone of 220 Hz at half level with a gain in steps, on a server that carries out a step after `delay` seconds. Each change of the goal
    /// follows after `pause` seconds.
    private func tone(_ goals: [Double], pause: Double, delay: Double) -> (samples: [Int32], end: Double) {
        var (gain, last, ready) = (1.0, 0.0, 0.0)
        var ramp = VolumeRamp(from: 1, to: 1)
        var samples: [Int32] = []
        for index in 0..<Int((Double(goals.count) * pause + 0.2) * 48_000) {
            let now = Double(index) / 48_000
            let change = Int(now / pause)
            if change < goals.count, ramp.goal != goals[change] {
                if gain == ramp.goal { last = now }
                ramp = VolumeRamp(from: gain, to: goals[change])
            }
            if now >= ready, gain != ramp.goal, let next = ramp.gain(after: gain, elapsed: now - last) {
                (gain, last, ready) = (next, now, now + delay)
            }
            let tone: Double = sin(2 * Double.pi * 220 * now)
            samples.append(Int32((16_384 * gain * tone).rounded()))
        }
        return (samples, gain)
    }

    @Test(
        "a drag of 40 changes by 0.02 has third differences of at most 40, also with a server that takes 1 ms for a step (R-LNX-43)",
        arguments: [0.000_2, 0.001])
    func drag(_ delay: Double) {
        let (samples, end) = tone((1...40).map { 1 - Double($0) * 0.02 }, pause: 0.025, delay: delay)
        #expect(abs(end - 0.2) < 1e-9)
        #expect(samples.thirdDifferences[0] <= 40)
    }

    @Test("a ramp takes 40 ms and ends exactly at its goal; of a server that is slower than its steps, longer (R-LNX-43)")
    func duration() {
        let samples = tone([0], pause: 0.1, delay: 0.000_2).samples
        let end = samples.lastIndex { $0 != 0 } ?? 0
        #expect((1_800...1_960).contains(end))
        let slow = tone([0], pause: 0.1, delay: 0.001).samples
        #expect((3_600...3_900).contains(slow.lastIndex { $0 != 0 } ?? 0))
        #expect(Double(slow.thirdDifferences[0]) <= 2 * 16_384 * 0.0126)
    }

    @Test("a change that is smaller than a step is one step (R-LNX-43)")
    func small() {
        let ramp = VolumeRamp(from: 0.5, to: 0.5002)
        #expect(ramp.gain(after: 0.5, elapsed: 0.039) == nil)
        #expect(ramp.gain(after: 0.5, elapsed: 0.04) == 0.5002)
        #expect(ramp.wait(after: 0.5) < 0.0401)
    }
}

extension WithServer {
    @Suite("Volume without steps")
    struct VolumeRampTests {
        @Test("a drag of 40 changes by 0.02 is heard without steps (R-LNX-43)")
        func drag() throws {
            let rig = try ToneRig()
            try rig.play(seconds: 1)
            for change in 1...40 {
                rig.sink.setVolume(1 - Float(change) * 0.02, isMuted: false)
                try rig.play(seconds: 0.025)
            }
            let samples = try rig.finish()
            #expect(samples.suffix(4_800).allSatisfy { abs($0) < 3_280 } && samples.suffix(4_800).contains { $0 > 3_200 })
            // Without ramps each of the 40 changes is a step, with three differences of up to 655. `VolumeStepTests` proves the exact limit of a
            // ramp's steps, 40, in virtual time. The sound server of a busy machine may carry out several of them at once, now and then.
            let thirds = samples.thirdDifferences
            #expect(thirds[20] < 250, "\(thirds.prefix(40))")
        }

        @Test("a mute and its end are ramps, after which the volume is as before (R-LNX-43, R-VOL-02)")
        func mute() throws {
            let rig = try ToneRig()
            try rig.play(seconds: 1)
            rig.sink.setVolume(1, isMuted: true)
            #expect(rig.streamLists("Mute: yes"))
            #expect(rig.streamLists("65536 / 100%"))
            try rig.play(seconds: 0.5)
            rig.sink.setVolume(1, isMuted: false)
            let samples = try rig.finish()
            #expect(rig.streamLists("Mute: no"))
            let silence = try #require(samples.indices.dropLast(480).first { samples[$0..<($0 + 480)].allSatisfy { $0 == 0 } })
            let quiet = samples[(silence - 960)..<silence]
            #expect(quiet.contains { abs($0) > 200 }, "the tone fades before the silence")
            #expect(samples.suffix(4_800).contains { $0 > 16_300 })
        }

        @Test("a volume that another program sets after a ramp remains until the next one (R-LNX-43)")
        func foreign() throws {
            let rig = try ToneRig()
            try rig.play(seconds: 1)
            rig.sink.setVolume(0.5, isMuted: false)
            #expect(rig.streamLists("\(pulseVolume(0.5)) /"))
            // The stream with the number 0 is that of the recording.
            try rig.server.control("set-sink-input-volume", "1", "30000")
            try rig.play(seconds: 0.3)
            #expect(rig.streamLists("30000 /"))
            rig.sink.setVolume(1, isMuted: false)
            #expect(rig.streamLists("65536 / 100%"))
        }
    }
}

/// A sink on a private server, whose source is a tone of 220 Hz at half level. The recording has what a listener hears.
private final class ToneRig {
    let server: PrivatePulseServer
    let sink: any AudioSink
    private let source = RenderRing(minimumCapacity: 100_000, channelCount: 2)

    init() throws {
        server = try PrivatePulseServer(.deep(rate: 48_000, channels: 2))
        sink = PulseOutputProvider.patient(server.address, sinkName: PrivatePulseServer.sinkName).makeSink()
        try sink.open(AudioFormat(sampleRate: 48_000, channelLayout: .stereo), source: source, base: 0) { _ in }
        pump()
        try sink.start()
        while heard.isEmpty { try play(seconds: 0.1) }
    }

    deinit {
        sink.close()
        server.stop()
    }

    private func pump() {
        let first = source.writtenFrames
        let samples = (0..<source.freeFrames).flatMap { index -> [Float] in
            let time = Double(first + Int64(index)) / 48_000
            let value = Float(0.5 * sin(2 * Double.pi * 220 * time))
            return [value, value]
        }
        _ = source.write(samples, frameCount: samples.count / 2)
        sink.sourceDidFill()
    }

    /// Returns whether the server lists the sink's stream with a text, within ten seconds. Playback continues meanwhile.
    func streamLists(_ text: String) -> Bool {
        PrivatePulseServer.wait(seconds: 10) {
            pump()
            return (try? server.lists(text, among: "sink-inputs", of: "application.name = \"Tonearm\"")) ?? false
        }
    }

    func play(seconds: Double) throws {
        pump()
        let recording = try #require(server.recording)
        try #require(recording.wait(forFrameCount: recording.frameCount + Int(seconds * 48_000)))
    }

    /// Plays on until what was played before is recorded: the device mixes up to 2 s ahead, and its recording is a second late. Returns the
    /// recording.
    func finish() throws -> [Int32] {
        let wanted = heard.count + Int(3.25 * 48_000)
        while heard.count < wanted { try play(seconds: 0.25) }
        return heard
    }

    /// The recorded left channel, without the silence before the tone.
    var heard: [Int32] {
        let heard = Heard(server.recording?.samples() ?? [])
        return heard.frames.dropFirst((heard.onset() ?? heard.frames.count) + 4_800).left
    }
}
