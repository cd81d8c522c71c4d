import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The contract of time stretching")
struct WSOLAContractTests {
    @Test("at rate 1 every sample is unchanged (R-PITCH-01)")
    func identity() {
        let input = Sound.noise(10_000)
        #expect(
            Sound.stretch(input, by: WSOLATimePitch(sampleRate: 44_100, channelCount: 2), rate: 1, channels: 2, chunk: 333, capacity: 500) == input)
    }

    @Test(
        "the output has exactly round(input / rate) frames, and begins and ends like the input",
        arguments: [1.0 / 32, 0.3, 0.5, 0.8, 0.999, 1.001, 1.25, 1.5, 2, 7.3, 32])
    func count(rate: Double) throws {
        let stretcher = WSOLATimePitch(sampleRate: 16_000, channelCount: 1)
        var random = SeededGenerator(seed: 9)
        for _ in 0..<12 {
            let input = Sound.noise(1 + Int(random.next() % (rate < 0.1 ? 3000 : 20_000)), seed: random.next())
            let output = Sound.stretch(input, by: stretcher, rate: rate)
            let expected = Int((Double(input.count) / rate).rounded())
            #expect(output.count == expected, "\(input.count) frames")
            // The first and the last 10 ms of the output are equal to those of the input, if the audio is long enough.
            guard expected > 1600, input.count > 1600 else { continue }
            #expect(
                output.prefix(160).elementsEqual(input.prefix(160)) && output.suffix(160).elementsEqual(input.suffix(160)), "\(input.count) frames")
        }
    }

    @Test("inputs of a few frames give exactly round(input / rate) frames too", arguments: [1.0 / 32, 0.5, 0.999, 1.3, 32])
    func tiny(rate: Double) {
        let stretcher = WSOLATimePitch(sampleRate: 44_100, channelCount: 2)
        for frames in [1, 2, 3, 17, 31, 100, 441, 700] {
            let output = Sound.stretch(Sound.noise(frames * 2), by: stretcher, rate: rate, channels: 2, chunk: 7, capacity: 13)
            #expect(output.count / 2 == Int((Double(frames) / rate).rounded()), "\(frames) frames")
        }
    }

    private func mix(_ a: [Float], _ b: [Float]) -> [Float] { zip(a, b).map { $0 + $1 } }

    @Test("the output does not depend on the sizes of the calls", arguments: [0.4, 0.8, 1.5, 3])
    func cuts(rate: Double) {
        var input = mix(Sound.noise(60_000, amplitude: 0.05), Sound.sines([220, 331], amplitude: 0.3, seconds: 2))
        for click in stride(from: 4000, to: input.count, by: 9000) { input[click] = 0.9 }
        let stretcher = WSOLATimePitch(sampleRate: 44_100, channelCount: 1)
        let whole = Sound.stretch(input, by: stretcher, rate: rate, chunk: input.count, capacity: 50_000)
        var random = SeededGenerator(seed: 4)
        let cut = Sound.stretch(input, by: stretcher, rate: rate, chunk: Int(random.next() % 2000) + 1, capacity: Int(random.next() % 300) + 1)
        let firstDifference = zip(whole, cut).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(whole.count == cut.count && firstDifference == nil)
    }

    @Test("channels keep their phases: equal channels remain equal", arguments: [0.7, 1.6])
    func coherence(rate: Double) {
        let left = mix(Sound.noise(40_000, amplitude: 0.1), Sound.sines([523], amplitude: 0.4, seconds: 1))
        let three = left.flatMap { (sample: Float) -> [Float] in [sample, -0.5 * sample, sample] }
        let output = Sound.stretch(three, by: WSOLATimePitch(sampleRate: 44_100, channelCount: 3), rate: rate, channels: 3)
        for frame in stride(from: 0, to: output.count, by: 3) {
            let (first, second, third) = (output[frame], output[frame + 1], output[frame + 2])
            guard third == first, second == -0.5 * first else {
                Issue.record("frame \(frame / 3): \(first), \(second), \(third)")
                return
            }
        }
    }

    @Test("opposite channels are stretched like equal ones")
    func opposite() {
        let tone = Sound.sines([440, 1187], amplitude: 0.3, seconds: 5.4)
        let two = tone.flatMap { (sample: Float) -> [Float] in [sample, -sample] }
        let output = Sound.stretch(two, by: WSOLATimePitch(sampleRate: 44_100, channelCount: 2), rate: 1.5, channels: 2)
        #expect(Sound.purity(stride(from: 0, to: output.count, by: 2).map { output[$0] }, tones: [440, 1187]) >= 72)
    }

    @Test("reset discards all state")
    func reset() {
        let stretcher = WSOLATimePitch(sampleRate: 44_100, channelCount: 1)
        let input = Sound.noise(30_000)
        let first = Sound.stretch(input, by: stretcher, rate: 1.5)
        _ = Sound.stretch(Sound.sines([100], amplitude: 0.9, seconds: 0.4), by: stretcher, rate: 1.5)
        #expect(Sound.stretch(input, by: stretcher, rate: 1.5) == first)
    }

    @Test("after a reset in mid-stream the output starts with the next input frame")
    func resetInside() {
        let stretcher = WSOLATimePitch(sampleRate: 44_100, channelCount: 1)
        let input = Sound.noise(30_000)
        var output = [Float](repeating: 0, count: 1000)
        stretcher.reset(rate: 0.5)
        _ = stretcher.process(input, frameCount: input.count, isEnd: false, into: &output, capacity: output.count)
        #expect(Sound.stretch(input, by: stretcher, rate: 0.5).prefix(256) == input.prefix(256))
    }

    @Test("output is available as soon as the look-ahead is filled", arguments: [1.0 / 32, 0.5, 1.5, 32])
    func lookahead(rate: Double) {
        let stretcher = WSOLATimePitch(sampleRate: 44_100, channelCount: 1)
        stretcher.reset(rate: rate)
        var output: [Float] = [0]
        let input = Sound.noise(stretcher.lookahead)
        let before = stretcher.process(input, frameCount: input.count - 1, isEnd: false, into: &output, capacity: 1)
        #expect(before == (input.count - 1, 0))
        #expect(stretcher.process(input, frameCount: 1, isEnd: false, into: &output, capacity: 1) == (1, 1))
    }

    @Test(
        "samples that are not numbers neither trap nor change the number of frames",
        arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func hostileSamples(value: Float) {
        for rate in [0.3, 0.8, 1.5, 6.0] {
            var input = Sound.noise(30_000)
            for index in stride(from: 500, to: input.count, by: 1700) { input[index] = value }
            #expect(Sound.stretch(input, by: WSOLATimePitch(sampleRate: 44_100, channelCount: 1), rate: rate).count == Int((30_000 / rate).rounded()))
            #expect(
                Sound.stretch([Float](repeating: value, count: 9000), by: WSOLATimePitch(sampleRate: 44_100, channelCount: 1), rate: rate).count
                    == Int((9000 / rate).rounded()))
        }
    }

    @Test(
        "every sample rate and number of channels is supported",
        arguments: [(96, 1), (1000, 3), (8000, 1), (22_050, 6), (96_000, 2), (192_000, 8)])
    func formats(sampleRate: Int, channels: Int) {
        for rate in [0.5, 2.0] {
            for quality in [WSOLATimePitch.Quality.standard, .lowLatency] {
                let frames = max(3000, sampleRate / 2)
                let stretcher = WSOLATimePitch(sampleRate: sampleRate, channelCount: channels, quality: quality)
                let output = Sound.stretch(Sound.noise(frames * channels), by: stretcher, rate: rate, channels: channels, chunk: 4096, capacity: 4096)
                #expect(output.count == Int((Double(frames) / rate).rounded()) * channels)
            }
        }
    }

    static let outOfRange: [(asked: Double, taken: Double)] = [(0, 1.0 / 32), (-3, 1.0 / 32), (100, 32), (.infinity, 32), (.nan, 1)]

    @Test("rates outside 1/32 … 32 are clamped to this range", arguments: outOfRange)
    func limits(asked: Double, taken: Double) {
        let input = Sound.noise(3200)
        #expect(Sound.stretch(input, by: WSOLATimePitch(sampleRate: 8000, channelCount: 1), rate: asked).count == Int((3200 / taken).rounded()))
    }

    @Test("the low-latency variant has a look-ahead of less than 70 ms at the rates it plays", arguments: [0.5, 2.0 / 3, 0.8, 1.25, 1.5, 2])
    func cheapLookahead(rate: Double) {
        let stretcher = WSOLATimePitch(sampleRate: 48_000, channelCount: 2, quality: .lowLatency)
        stretcher.reset(rate: rate)
        #expect(stretcher.lookahead < 48_000 / 1000 * 70)
    }
}
