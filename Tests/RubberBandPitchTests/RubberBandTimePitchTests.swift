import PlaybackEngine
import PlaybackTesting
import RubberBandPitch
import Testing

@Suite("Spectral time stretching")
struct RubberBandTimePitchTests {
    private func purity(_ tones: [Double], amplitude: Double, rate: Double) -> Double {
        let input = Sound.sines(tones, amplitude: amplitude, seconds: 4 * rate)
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: Sound.sampleRate, channelCount: 1), rate: rate)
        return Sound.purity(output, tones: tones)
    }

    @Test("two tones stay pure to 60 dB", arguments: [0.8, 1.25, 1.5, 2])
    func chord(rate: Double) {
        #expect(purity([440, 1187], amplitude: 0.3, rate: rate) >= 60)
    }

    @Test("a chord of twenty partials stays pure to 33 dB, which the time domain cannot reach", arguments: [0.8, 1.25, 2])
    func dense(rate: Double) {
        let partials = [130.81, 261.63, 329.63, 392, 493.88].flatMap { [$0, 2 * $0, 3 * $0, 4 * $0] }
        #expect(purity(partials, amplitude: 0.04, rate: rate) >= 33)
    }

    @Test("at rate 1 every sample passes unchanged (R-PITCH-01)")
    func identity() {
        let input = Sound.noise(10_000)
        let stretcher = RubberBandTimePitch(sampleRate: 44_100, channelCount: 2)
        #expect(Sound.stretch(input, by: stretcher, rate: 1, channels: 2, chunk: 333, capacity: 500) == input)
    }

    @Test("the output has exactly round(input / rate) frames", arguments: [1.0 / 32, 0.3, 0.8, 1.25, 2, 7.3, 32])
    func count(rate: Double) {
        let stretcher = RubberBandTimePitch(sampleRate: 44_100, channelCount: 1)
        for frames in [1, 100, 4567, 30_000] {
            #expect(Sound.stretch(Sound.noise(frames), by: stretcher, rate: rate).count == Int((Double(frames) / rate).rounded()), "\(frames) frames")
        }
    }

    @Test("the size of the output calls does not change the audio")
    func cuts() {
        let stretcher = RubberBandTimePitch(sampleRate: 44_100, channelCount: 2)
        let input = Sound.noise(40_000)
        let whole = Sound.stretch(input, by: stretcher, rate: 1.5, channels: 2, chunk: 512, capacity: 20_000)
        #expect(Sound.stretch(input, by: stretcher, rate: 1.5, channels: 2, chunk: 512, capacity: 77) == whole)
    }

    @Test("sound keeps its position, after a minute as well as at the start", arguments: [0.5, 0.8, 1.25, 2])
    func places(rate: Double) {
        let sampleRate = 8000
        // The input is a tone whose level rises and falls in swells of two seconds, longer than a window. The centre of a swell's energy is its
        // position.
        let swell = Sound.sines([250], amplitude: 0.5, seconds: 2, sampleRate: sampleRate).enumerated().map { frame, sample in
            sample * Float(frame < sampleRate ? frame : 2 * sampleRate - frame) / Float(sampleRate)
        }
        var input = [Float](repeating: 0, count: 64 * sampleRate)
        let places = [2 * sampleRate, 60 * sampleRate]
        for place in places { input.replaceSubrange(place..<(place + swell.count), with: swell) }
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: sampleRate, channelCount: 1), rate: rate)
        let shifts = places.map { (place: Int) -> Double in
            let expected = Double(place + sampleRate) / rate
            var (energy, moment) = (0.0, 0.0)
            for frame in Int(expected - 1.5 * Double(sampleRate) / rate)..<min(output.count, Int(expected + 1.5 * Double(sampleRate) / rate)) {
                let square = Double(output[frame] * output[frame])
                energy += square
                moment += square * (Double(frame) - expected)
            }
            return energy > 100 ? moment / energy : .infinity
        }
        // Each swell may be early or late by a sixth of a window (a window has 2,048 frames at this sample rate). The deviations of the two swells
        // must differ by less than 8 frames.
        #expect(shifts.allSatisfy { abs($0) < 2048 / 6 }, "\(shifts)")
        #expect(abs(shifts[0] - shifts[1]) < 8, "\(shifts)")
    }

    @Test("equal channels stay equal")
    func coherence() {
        let stereo = Sound.noise(30_000).flatMap { (sample: Float) -> [Float] in [sample, sample] }
        let output = Sound.stretch(stereo, by: RubberBandTimePitch(sampleRate: 44_100, channelCount: 2), rate: 0.7, channels: 2)
        let difference = stride(from: 0, to: output.count, by: 2).map { abs(output[$0] - output[$0 + 1]) }.max() ?? 1
        #expect(difference < 1e-5)
    }

    @Test("no output is held back after the look-ahead is filled", arguments: [1.0 / 32, 0.5, 1.5, 4, 32])
    func lookahead(rate: Double) {
        let stretcher = RubberBandTimePitch(sampleRate: 44_100, channelCount: 1)
        stretcher.reset(rate: rate)
        var output = [Float](repeating: 0, count: 64)
        let input = Sound.noise(stretcher.lookahead)
        #expect(stretcher.process(input, frameCount: input.count, isEnd: false, into: &output, capacity: 64).produced == 64)
    }

    @Test("invalid or huge samples do not affect later output", arguments: [Float.nan, .infinity, .greatestFiniteMagnitude])
    func hostileSamples(value: Float) {
        var input = Sound.noise(60_000)
        input[5000] = value
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: 44_100, channelCount: 1), rate: 1.5)
        #expect(output.count == 40_000)
        #expect(output.allSatisfy { abs($0) < 1 })
        #expect(output.suffix(10_000).contains { abs($0) > 0.1 })
    }

    @Test("any sample rate is accepted", arguments: [96, 8000, 192_000])
    func formats(sampleRate: Int) {
        let stretcher = RubberBandTimePitch(sampleRate: sampleRate, channelCount: 6)
        #expect(Sound.stretch(Sound.noise(6 * 5000), by: stretcher, rate: 2, channels: 6).count == 6 * 2500)
    }
}
