import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Offline rendering")
struct OfflineRendererTests {
    private func render(
        _ scripts: [(String, RampReader.Script)], _ change: (inout OfflineRenderer.Job) -> Void = { _ in }
    ) throws -> (values: [Int], summary: OfflineRenderer.Summary) {
        let opener = ScriptedOpener(Dictionary(uniqueKeysWithValues: scripts))
        let renderer = OfflineRenderer(opener: opener) { _, format in NearestPitch(channelCount: format.channelCount) }
        var job = OfflineRenderer.Job(sources: scripts.map { MediaSource(.file(path: $0.0)) })
        change(&job)
        var values: [Int] = []
        let summary = try renderer.render(job) { samples, format in
            values += stride(from: 0, to: samples.count, by: format.channelCount).map { Int(samples[$0]) }
            return true
        }
        return (values, summary)
    }

    @Test("rendering gives every frame of every medium once, joined")
    func joins() throws {
        let result = try render([
            ("a", .init(frames: 100_001)), ("b", .init(frames: 777, base: 1_000_000)), ("c", .init(frames: 5000, base: 2_000_000)),
        ])
        #expect(result.values == Array(0..<100_001) + Array(1_000_000..<1_000_777) + Array(2_000_000..<2_005_000))
        #expect(result.summary.frames == 105_778)
    }

    @Test("rendering begins at the start time without a fade, and ends after the duration")
    func cuts() throws {
        let result = try render([("a", .init(frames: 100_000))]) { job in
            job.startTime = CMTime(value: 1000, timescale: 44_100)
            job.duration = CMTime(value: 12_345, timescale: 44_100)
        }
        #expect(result.values == Array(1000..<13_345))
    }

    @Test("rendering supports other rates and negative ones")
    func rates() throws {
        #expect(try render([("a", .init(frames: 1000))]) { $0.rate = 2 }.values == Array(stride(from: 0, to: 1000, by: 2)))
        let backwards = try render([("a", .init(frames: 60_000))]) { job in
            job.rate = -1
            job.startTime = CMTime(value: 50_000, timescale: 44_100)
        }
        #expect(backwards.values == Array((0..<50_000).reversed()))
    }

    @Test("rendering fails with the index of the medium that cannot be opened or read")
    func fails() {
        var broken = RampReader.Script(frames: 100_000)
        broken.failsAt = 50_000
        let whole = ("a", RampReader.Script(frames: 100))
        #expect { try render([whole, ("b", broken)]) } throws: { ($0 as? OfflineRenderer.Failure)?.source == 1 }
        #expect {
            try render([whole]) { $0.sources = [MediaSource(.file(path: "missing")), $0.sources[0]] }
        } throws: { ($0 as? OfflineRenderer.Failure)?.source == 0 }
    }

    @Test("rendering ends if the callback returns false")
    func stops() throws {
        let renderer = OfflineRenderer(opener: ScriptedOpener(["a": .init(frames: 1_000_000)])) { _, format in
            NearestPitch(channelCount: format.channelCount)
        }
        var calls = 0
        _ = try renderer.render(OfflineRenderer.Job(sources: [MediaSource(.file(path: "a"))])) { _, _ in
            calls += 1
            return calls < 3
        }
        #expect(calls == 3)
    }
}
