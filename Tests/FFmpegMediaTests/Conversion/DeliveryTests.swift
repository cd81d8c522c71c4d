import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Reading in another output format")
struct DeliveryTests {
    /// Opens a medium, and makes its reader deliver samples with the sample rate `rate` and the channels of `layout`.
    static func open(_ url: URL, rate: Int, layout: ChannelLayout = .stereo) throws -> any AudioReader {
        let reader = try Reading.open(url)
        try reader.setOutputFormat(AudioFormat(sampleRate: rate, channelLayout: layout))
        return reader
    }

    /// Writes a WAV file of 24 bits, in which each channel is a sine tone with its own frequency.
    static func tone(_ rate: Int, frames: Int, hertz: [Double]) throws -> URL {
        try TestMedia.shared.file("tone-\(rate)-\(frames)-\(hertz).wav") { url in
            var samples: [Int32] = []
            for frame in 0..<frames {
                for tone in hertz {
                    let angle = 2 * Double.pi * tone * Double(frame) / Double(rate)
                    samples.append(Int32((0x1p22 * sin(angle)).rounded()))
                }
            }
            try WaveFile.data(samples, bits: 24, sampleRate: rate, channelCount: hertz.count).write(to: url)
        }
    }

    static let rates = [
        (44_100, 48_000), (48_000, 44_100), (44_100, 96_000), (96_000, 44_100), (8000, 48_000), (44_100, 22_050), (44_056, 48_000), (44_100, 44_101),
    ]

    @Test("a converted tone keeps its frequency and phase, and has the exact number of frames", arguments: rates)
    func tone(_ from: Int, _ to: Int) throws {
        let frames = from + 17
        let reader = try DeliveryTests.open(DeliveryTests.tone(from, frames: frames, hertz: [997, 1501]), rate: to)
        let total = Int((Double(frames) * Double(to) / Double(from)).rounded())
        #expect(reader.duration == .exact(frames: Int64(total), sampleRate: to))
        let heard = try Reading.samples(reader, channels: 2)
        #expect(heard.count == 2 * total)
        var worst = 0.0
        for frame in 2000..<(total - 2000) {
            for (channel, hertz) in [997.0, 1501.0].enumerated() {
                let angle = 2 * Double.pi * hertz * Double(frame) / Double(to)
                worst = max(worst, abs(Double(heard[2 * frame + channel]) - 0.5 * sin(angle)))
            }
        }
        #expect(worst < 2e-5)
    }

    @Test("a seek gives the samples of an uninterrupted read, before and after the end was reached", arguments: rates)
    func seeks(_ from: Int, _ to: Int) throws {
        let url = try TestMedia.shared.encoded(TestSignal(sampleRate: from, frameCount: 2 * from + 9), as: "rate", "flac", ["-c:a", "flac"])
        let whole = try Reading.samples(DeliveryTests.open(url, rate: to), channels: 2)
        let total = whole.count / 2
        let reader = try DeliveryTests.open(url, rate: to)
        var random = SeededGenerator(seed: 5)
        for number in 0..<12 {
            let target = number == 0 ? 0 : number == 1 ? total - 5 : number == 2 ? 1 : Int.random(in: 0..<total, using: &random)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let count = number == 3 ? total - target : min(3000, total - target)
            #expect(
                try Reading.samples(reader, limit: count, channels: 2) == whole.frames(target..<(target + count), of: 2),
                "seek \(number) to \(target)")
        }
        #expect(try reader.seek(to: Int64(total) + 100_000, before: 0, after: 0) == Int64(total) + 100_000)
        #expect(try reader.read() == nil)
    }

    @Test("samples in the medium's own format are unchanged")
    func untouched() throws {
        let signal = TestSignal(frameCount: 10_000)
        let reader = try DeliveryTests.open(TestMedia.shared.wave(signal), rate: 44_100)
        #expect(try Reading.samples(reader) == signal.integers(bits: 16).map { Float($0) * 0x1p-15 })
    }

    @Test("one channel is copied to both sides, and two are mixed to their mean")
    func mixing() throws {
        let mono = TestSignal(channelCount: 1, frameCount: 6000)
        let both = try Reading.samples(DeliveryTests.open(TestMedia.shared.wave(mono), rate: 44_100), channels: 2)
        let source = mono.integers(bits: 16).map { Float($0) * 0x1p-15 }
        #expect(both.channel(0, of: 2) == source && both.channel(1, of: 2) == source)

        let stereo = TestSignal(frameCount: 6000)
        let one = try Reading.samples(DeliveryTests.open(TestMedia.shared.wave(stereo), rate: 44_100, layout: .mono), channels: 1)
        let pairs = stereo.integers(bits: 16).map { Float($0) * 0x1p-15 }
        #expect(zip(one.indices, one).allSatisfy { abs($1 - (pairs[2 * $0] + pairs[2 * $0 + 1]) / 2) < 1e-6 })
    }

    @Test("six channels at full level do not clip when mixed down to two")
    func downMix() throws {
        let url = try TestMedia.shared.file("full.wav") { url in
            let samples = [Int32](repeating: 32_767, count: 6 * 4000)
            try WaveFile.data(samples, bits: 16, sampleRate: 48_000, channelCount: 6).write(to: url)
        }
        let heard = try Reading.samples(DeliveryTests.open(url, rate: 48_000), channels: 2)
        #expect(heard.count == 8000)
        #expect(heard.allSatisfy { $0 <= 1 && $0 > 0.5 })
    }
}
