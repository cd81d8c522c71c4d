import PlaybackEngine
import PlaybackTesting
import RubberBandPitch
import Testing

@Suite("Start of a spectral stretch")
struct StartTests {
    private static let sampleRates: [Int] = TestDepth.isThorough ? [8000, 44_100, 192_000] : [8000, 192_000]
    private static let rates: [Double] = TestDepth.isThorough ? [1.1, 1.3, 1.5, 2, 2.3, 3, 4, 7, 8] : [1.1, 2, 2.3, 8]

    private func peak(_ input: [Float], rate: Double, sampleRate: Int) -> Float {
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: sampleRate, channelCount: 1), rate: rate)
        return output.map(abs).max() ?? 0
    }

    /// Returns the number of input frames from which `seconds` of output are made.
    private func count(_ seconds: Double, rate: Double, sampleRate: Int) -> Int { Int(seconds * rate * Double(sampleRate)) }

    @Test("a tone is less than twice as loud as its input, from the first frame on", arguments: sampleRates, rates)
    func tone(sampleRate: Int, rate: Double) {
        let input = Sound.sines([440], amplitude: 0.3, seconds: 0.4 * rate, sampleRate: sampleRate)
        #expect(peak(input, rate: rate, sampleRate: sampleRate) < 0.6)
    }

    @Test("stretched noise stays below full scale from the start on", arguments: sampleRates, rates)
    func noise(sampleRate: Int, rate: Double) {
        #expect(peak(Sound.noise(count(0.4, rate: rate, sampleRate: sampleRate)), rate: rate, sampleRate: sampleRate) < 1)
    }

    @Test("noise after silence is at most twice as loud as its input", arguments: sampleRates, [0.5, 1.5, 2, 4, 8])
    func behindSilence(sampleRate: Int, rate: Double) {
        let sound = Sound.noise(count(0.4, rate: rate, sampleRate: sampleRate))
        let silence = [Float](repeating: 0, count: count(0.5, rate: max(1, rate), sampleRate: sampleRate))
        let loudest = sound.map(abs).max() ?? 0
        #expect(peak(sound + silence + sound, rate: rate, sampleRate: sampleRate) <= 2 * loudest)
    }

    @Test("stretched noise stays below full scale at the fastest rates too", arguments: [16.0, 24, 32])
    func fastest(rate: Double) {
        #expect(peak(Sound.noise(count(0.6, rate: rate, sampleRate: 44_100)), rate: rate, sampleRate: 44_100) < 1)
    }

    @Test("a tone that begins at full level has that level at once", arguments: [1.1, 1.3, 1.5, 2, 3, 4, 8])
    func level(rate: Double) {
        let input = Sound.sines([440], amplitude: 0.3, seconds: 0.5 * rate)
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: Sound.sampleRate, channelCount: 1), rate: rate)
        // The level is measured in windows of five periods of the tone, over the first fifth of a second of the output.
        let levels = stride(from: 0, to: 8800, by: 501).map { first in
            (output[first..<(first + 501)].reduce(0) { $0 + Double($1 * $1) } / 501).squareRoot() / 0.3 * 2.0.squareRoot()
        }
        #expect(levels.allSatisfy { abs($0 - 1) < 0.15 }, "\(levels)")
    }

    @Test("the first output frames are from the start of the input", arguments: [1.3, 2, 4, 8])
    func first(rate: Double) {
        let input = Sound.noise(count(0.4, rate: rate, sampleRate: 44_100))
        let output = Sound.stretch(input, by: RubberBandTimePitch(sampleRate: 44_100, channelCount: 1), rate: rate)
        // The first 5 ms of the output are searched in the input. They must be within 15 ms of the input's start.
        let places = (0..<2000).map { place in (0..<220).reduce(Float(0)) { $0 + output[$1] * input[place + $1] } }
        let best = places.indices.max { places[$0] < places[$1] } ?? -1
        #expect(best < 661, "\(best)")
    }
}
