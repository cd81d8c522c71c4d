import CoreMedia
import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

/// Renders media at a device's rate, as `tonearm render --sample-rate` does, from positions within them.
@Suite("Seeks at a device's rate")
struct SeekExactnessTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        var from: Int
        var to: Int
        var ending = "wav"
        var testDescription: String { "\(from) to \(to) Hz, \(ending)" }
    }

    static let pairs = [
        Pair(from: 44_100, to: 48_000), Pair(from: 44_100, to: 48_000, ending: "flac"), Pair(from: 48_000, to: 44_100),
        Pair(from: 48_000, to: 44_100, ending: "ogg"), Pair(from: 96_000, to: 44_100), Pair(from: 44_100, to: 192_000),
        Pair(from: 22_050, to: 48_000),
        Pair(from: 44_056, to: 48_000), Pair(from: 44_100, to: 44_101), Pair(from: 48_000, to: 48_000),
    ]

    private func render(_ url: URL, at sampleRate: Int, from frame: Int = 0, count: Int? = nil) throws -> [Float] {
        var samples: [Float] = []
        var job = OfflineRenderer.Job(sources: [MediaSource(.file(path: url.path))])
        job.sampleRate = sampleRate
        job.startTime = CMTime(value: Int64(frame), timescale: CMTimeScale(sampleRate))
        if let count { job.duration = CMTime(value: Int64(count), timescale: CMTimeScale(sampleRate)) }
        _ = try OfflineRenderer(opener: FFmpegOpener()) { _, format in VarispeedTimePitch(format: format) }.render(job) { part, _ in
            samples += part
            return true
        }
        return samples
    }

    @Test("at 1,000 positions, a seek gives the samples of uninterrupted playback, converted or not, to the bit (R-SEEK-01)", arguments: pairs)
    func places(_ pair: Pair) throws {
        let signal = TestSignal(sampleRate: pair.from, frameCount: pair.from * 2 / 3 + 17)
        let url =
            switch pair.ending {
            case "wav": try TestMedia.shared.wave(signal, bits: 24)
            case "ogg": try TestMedia.shared.encoded(signal, as: "places", "ogg", ["-c:a", "flac"])
            default: try TestMedia.shared.encoded(signal, as: "places", pair.ending, [])
            }
        let whole = try render(url, at: pair.to)
        let total = whole.count / 2
        let reader = try DeliveryTests.open(url, rate: pair.to)
        var random = SeededGenerator(seed: UInt64(pair.from * 3 + pair.to))
        for number in 0..<100 {
            let place = number == 0 ? total - 3 : number == 1 ? 1 : Int.random(in: 0..<total, using: &random)
            // The last frames depend on the end of the medium, so some are read to the end. A tenth is rendered, the others are seeks of one reader.
            let count = min(total - place, number % 20 == 0 ? 2_000 : 64)
            let part: [Float]
            if number % 10 == 0 {
                part = try render(url, at: pair.to, from: place, count: count)
            } else {
                #expect(try reader.seek(to: Int64(place), before: 0, after: 0) == Int64(place))
                part = try Reading.samples(reader, limit: count, channels: 2)
            }
            #expect(part == whole.frames(place..<(place + count), of: 2), "position \(place) of \(total)")
        }
    }
}
