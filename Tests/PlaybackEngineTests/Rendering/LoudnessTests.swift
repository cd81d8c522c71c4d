import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Loudness in the engine")
struct LoudnessTests {
    private let a = ItemID(rawValue: 1)

    /// Returns a medium whose samples are a ramp, with these loudness tags; nil omits the tag.
    private func ramp(_ frames: Int64, base: Float = 0, track: String? = nil, album: String? = nil) -> RampReader.Script {
        var script = RampReader.Script(frames: frames, base: base)
        script.metadata = [("REPLAYGAIN_TRACK_GAIN", track), ("REPLAYGAIN_ALBUM_GAIN", album)].compactMap { key, value in
            value.map { MetadataEntry(key: key, value: $0) }
        }
        return script
    }
    private let half = "-6.0205999132796239 dB"
    private let quarter = "-12.0411998265592478 dB"

    private func isNear(_ heard: [CaptureSink.Heard], _ expected: [Float]) -> Bool {
        heard.count == expected.count && zip(heard, expected).allSatisfy { abs($0.value - $1) <= abs($1) * 1e-6 + 1e-6 }
    }

    @Test("with the mode off or without tags for it, every sample is unchanged")
    func untouched() {
        let rig = EngineRig(["a": ramp(100_000, track: half)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(rig.play(frames: 50_000).map(\.value) == (0..<50_000).map(Float.init))
        let plain = EngineRig(["a": ramp(100_000)])
        plain.send(.setLoudness(.album), .load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(plain.play(frames: 50_000).map(\.value) == (0..<50_000).map(Float.init))
    }

    @Test("each item has its own gain, which changes exactly at the join")
    func joins() {
        let rig = EngineRig([
            "a": ramp(10_000, base: 1000, track: half), "b": ramp(10_000, base: 1000), "c": ramp(10_000, base: 1000, track: quarter, album: half),
        ])
        rig.send(
            .setLoudness(.track), .load(EngineRig.request(1, "a")), .setUpcoming([EngineRig.request(2, "b"), EngineRig.request(3, "c")], after: a),
            .setRunning(true))
        let one = (0..<10_000).map { 1000 + Float($0) }
        #expect(isNear(rig.play(frames: 30_000), one.map { $0 / 2 } + one + one.map { $0 / 4 }))
    }

    @Test("with time stretching the gain also changes exactly at the join")
    func stretched() {
        let rig = EngineRig(["a": ramp(10_000, base: 1000, track: half), "b": ramp(10_000, base: 1000)])
        rig.send(
            .setLoudness(.track), .setRate(2), .load(EngineRig.request(1, "a")), .setUpcoming([EngineRig.request(2, "b")], after: a),
            .setRunning(true))
        let one = stride(from: 0, to: 10_000, by: 2).map { 1000 + Float($0) }
        #expect(isNear(rig.play(frames: 10_000), one.map { $0 / 2 } + one))
    }

    @Test("a change of the mode is heard at once as a ramp of 40 ms, without a lost or repeated frame (R-LNX-43)")
    func changes() {
        let rig = EngineRig(["a": ramp(200_000, base: 1000, track: half, album: quarter)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        let before = rig.play(frames: 10_000)
        rig.send(.setLoudness(.track))
        let after = rig.play(frames: 10_000)
        let factors = (before + after).enumerated().map { $1.value / (1000 + Float($0)) }
        #expect(factors[..<10_000].allSatisfy { $0 == 1 })
        // The factor falls from 1 to 0.5 linearly within 40 ms (1,764 frames).
        #expect(factors[11_764...].allSatisfy { abs($0 - 0.5) < 1e-5 })
        let steps = zip(factors[10_000..<11_763], factors[10_001..<11_764]).map { $0 - $1 }
        #expect(steps.allSatisfy { abs($0 - 0.5 / 1_764) < 2e-5 })
        rig.send(.setLoudness(.album))
        rig.play(frames: 2000)
        #expect(abs(rig.play(frames: 1)[0].value / (1000 + 22_000) - 0.25) < 1e-5)
        rig.send(.setLoudness(.off))
        rig.play(frames: 2000)
        #expect(rig.play(frames: 100).map(\.value) == (24_001..<24_101).map { 1000 + Float($0) })
    }

    @Test("a change of the mode without effect on the gain withdraws no frames")
    func noChange() {
        let rig = EngineRig(["a": ramp(200_000)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.play(frames: 1000)
        _ = rig.takeEvents()
        rig.send(.setLoudness(.track))
        #expect(!rig.takeEvents().contains { if case .timelineChanged = $0 { true } else { false } })
    }

    @Test("an offline rendering applies the gain")
    func offline() throws {
        let renderer = OfflineRenderer(opener: ScriptedOpener(["a": ramp(20_000, base: 1000, track: half)])) { _, format in
            NearestPitch(channelCount: format.channelCount)
        }
        var job = OfflineRenderer.Job(sources: [MediaSource(.file(path: "a"))])
        job.loudness = .track
        var values: [Float] = []
        _ = try renderer.render(job) { samples, _ in
            values += stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            return true
        }
        #expect(values.count == 20_000)
        #expect(values.enumerated().allSatisfy { abs($1 - (1000 + Float($0)) / 2) < 0.01 })
    }
}
