import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("Volume and mute")
    struct VolumeTests {
        @Test("volume and mute take effect at once although two seconds are buffered (R-VOL-01, R-VOL-02)")
        func volume() throws {
            let rig = try SteadyRig()
            try rig.settle(at: 16_384)
            let full = SteadyRig.Level(volume: 1, isMuted: false, sample: 16_384)
            let half = SteadyRig.Level(volume: 0.5, isMuted: false, sample: 8_192), muted = SteadyRig.Level(volume: 0.5, isMuted: true, sample: 0)
            try rig.expectChangeOfBufferedAudio(from: full, to: half)
            try rig.expectChangeOfBufferedAudio(from: half, to: muted)
            try rig.expectChangeOfBufferedAudio(from: muted, to: full)
        }

        @Test("a volume set before opening applies from the first frame on, and no stored one is restored (R-VOL-02)")
        func initialVolume() throws {
            let rig = try SteadyRig(volume: 0.25)
            try rig.settle(at: 4_096)
            #expect(!rig.recording.samples().contains { $0 > 4_100 })
        }

        @Test("a sink opened muted is silent until it is unmuted (R-VOL-01)")
        func initialMute() throws {
            let rig = try SteadyRig(volume: 1, isMuted: true)
            try rig.play(frames: 20_000)
            #expect(rig.recording.samples().allSatisfy { $0 == 0 })
            rig.sink.setVolume(1, isMuted: false)
            try rig.settle(at: 16_384)
        }

        @Test("a volume and a mute that another program has set are reported, and our own are not")
        func foreign() throws {
            let rig = try RampRig(.null(rate: 44_100, channels: 2))
            rig.sink.setVolume(0.5, isMuted: false)
            // The server shows our volume before another program sets one.
            try #require(PrivatePulseServer.wait(seconds: 10) { (try? rig.server.lists("79%", among: "sink-inputs")) == true })
            try rig.server.control("set-sink-input-volume", "0", "30%")
            let lower = try #require(rig.events.first { if case .volumeChanged(let volume, false) = $0 { volume } else { nil } })
            #expect(abs(lower - 0.027) < 0.001)
            try rig.server.control("set-sink-input-mute", "0", "1")
            let muted = try #require(rig.events.first { if case .volumeChanged(let volume, true) = $0 { volume } else { nil } })
            #expect(muted == lower)
            let count = rig.events.all.count { if case .volumeChanged = $0 { true } else { false } }
            #expect(count == 2)
        }

        @Test("the volume and the mute of the device are known and followed (R-HW-01)")
        func ofDevice() throws {
            let rig = try RampRig(.null(rate: 44_100, channels: 2))
            #expect(rig.sink.deviceVolume == 1)
            try rig.server.control("set-sink-volume", PrivatePulseServer.sinkName, "30%")
            #expect(PrivatePulseServer.wait(seconds: 10) { abs(rig.sink.deviceVolume - 0.3) < 0.001 })
            #expect(rig.events.first { if case .deviceVolumeChanged = $0 { true } else { nil } } == true)
            try rig.server.control("set-sink-mute", PrivatePulseServer.sinkName, "1")
            #expect(PrivatePulseServer.wait(seconds: 10) { rig.sink.deviceVolume == 0 })
        }

        @Test("with flat volumes, full volume is the device volume set by the user (R-VOL-01)")
        func flatVolume() throws {
            let rig = try SteadyRig(volume: 0, settings: ["flat-volumes = yes"], deviceVolume: "50%")
            // PulseAudio's volume scale is cubic: a volume of 50 % multiplies samples by 1/8.
            for (gain, expected) in [(Float(1), Int16(2_048)), (0.5, 1_024), (0.25, 512), (1, 2_048), (0, 0), (1, 2_048)] {
                rig.sink.setVolume(gain, isMuted: false)
                try rig.settle(at: expected)
            }
            #expect(!rig.recording.samples().contains { $0 > 2_060 })
        }
    }
}

/// A sink on a private server, whose source has only samples with the value 0.5.
private final class SteadyRig {
    let server: PrivatePulseServer
    let sink: any AudioSink
    private let source = RenderRing(minimumCapacity: 100_000, channelCount: 2)
    private let block = [Float](repeating: 0.5, count: 200_000)

    init(volume: Float = 1, isMuted: Bool = false, settings: [String] = ["flat-volumes = no"], deviceVolume: String = "100%") throws {
        server = try PrivatePulseServer(settings: settings)
        try server.control("set-sink-volume", PrivatePulseServer.sinkName, deviceVolume)
        sink = PulseOutputProvider.patient(server.address).makeSink()
        sink.setVolume(volume, isMuted: isMuted)
        try sink.open(.compactDisc, source: source, base: 0) { _ in }
        pump()
        try sink.start()
    }

    deinit {
        sink.close()
        server.stop()
    }

    /// A volume and a mute, and the sample that is then recorded.
    struct Level {
        var volume: Float
        var isMuted: Bool
        var sample: Int16
    }

    /// Changes the volume, and checks that the change is heard in audio that the sink had sent to the server before. The frames decide, and not a
    /// duration: if the sink scaled the samples before it sends them, the first changed frame would be one that is sent after the change.
    func expectChangeOfBufferedAudio(from old: Level, to new: Level) throws {
        sink.setVolume(old.volume, isMuted: old.isMuted)
        try settle(at: old.sample)
        let (sent, start) = (source.renderedFrames, recording.frameCount)
        sink.setVolume(new.volume, isMuted: new.isMuted)
        let changed = try start + framesUntil(new.sample, from: start)
        // The recording begins with the silence before the first frame.
        let first = try #require(recording.samples().firstIndex { $0 != 0 }) / 2
        #expect(Int64(changed - first) < sent, "frame \(changed - first) is the first changed one, and \(sent) had been sent")
    }

    var recording: PulseRecording { server.recording! }

    private func pump() {
        _ = source.write(block, frameCount: min(source.freeFrames, 100_000))
        sink.sourceDidFill()
    }

    func play(frames: Int) throws {
        let goal = recording.frameCount + frames
        while recording.frameCount < goal {
            pump()
            try #require(recording.wait(forFrameCount: min(goal, recording.frameCount + 20_000)))
        }
    }

    /// Plays until a sample near `value` is recorded.
    func settle(at value: Int16) throws { _ = try framesUntil(value, from: recording.frameCount) }

    /// Plays until a sample near `value` is recorded. Returns the number of frames that were recorded between the frame `start` and this sample.
    func framesUntil(_ value: Int16, from start: Int) throws -> Int {
        var found: Int?
        var searched = 0
        try #require(
            recording.wait { recording in
                self.pump()
                let samples = recording.samples(from: start + searched)
                found = samples.firstIndex { abs(Int($0) - Int(value)) <= 4 }.map { $0 / 2 + searched }
                searched += samples.count / 2
                return found != nil
            })
        return found ?? 0
    }
}
