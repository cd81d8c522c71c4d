import PlaybackEngine
import PlaybackTesting
import Testing

@testable import RemoteControl

@Suite struct WaveformTests {
    private func waveform(_ samples: [Float], channels: Int = 1, blockSize: Int = 500) -> Waveform {
        var waveform = Waveform(sampleRate: 1000)
        var at = 0
        while at < samples.count {
            let part = samples[at..<min(samples.count, at + blockSize * channels)]
            waveform.append(
                AudioBlock(position: Int64(at), frameCount: part.count / channels, channelCount: channels) { buffer in
                    for (index, sample) in part.enumerated() { buffer[index] = sample }
                })
            at += part.count
        }
        return waveform
    }

    @Test("peaks and RMS of a waveform match the samples, for any length", arguments: [1, 2, 7, 1000, 8191, 8192, 8193, 100_003])
    func exactness(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let samples = (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
        let made = waveform(samples)
        #expect(made.frameCount == Int64(count))
        for number in [1, 3, 100] {
            let (peaks, rms) = made.points(number)
            for point in 0..<number {
                // The peak must cover the samples inside the point, and must not cover samples further away than the length of a stored part.
                let start = Double(count) * Double(point) / Double(number)
                let end = Double(count) * Double(point + 1) / Double(number)
                let slack = Double(made.length)
                func peak(_ from: Double, _ to: Double) -> Double {
                    let range = max(0, Int(from.rounded(.up)))..<max(max(0, Int(from.rounded(.up))), min(count, Int(to.rounded(.down))))
                    return Double(samples[range].map(abs).max() ?? 0)
                }
                #expect(peaks[point] >= peak(start, end))
                #expect(peaks[point] <= peak(start - slack - 1, end + slack + 1))
                #expect(rms[point] <= peaks[point] + 1e-9)
            }
            let power = rms.reduce(0) { $0 + $1 * $1 } / Double(number)
            let wanted = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(count)
            #expect(abs(power - wanted) < 1e-6 * max(1, wanted))
        }
    }

    @Test("the memory of a waveform does not depend on the length of the medium")
    func memory() {
        let made = waveform([Float](repeating: 0.25, count: 1_000_000), blockSize: 5000)
        #expect(made.length * Waveform.capacity >= 1_000_000)
        #expect(made.length <= 256)
        let (peaks, rms) = made.points(2000)
        #expect(peaks.allSatisfy { $0 == 0.25 })
        #expect(rms.allSatisfy { abs($0 - 0.25) < 1e-9 })
    }

    @Test("an empty waveform is silent, and samples that are not finite are ignored")
    func odd() {
        #expect(Waveform(sampleRate: 1000).points(2).peaks == [0, 0])
        let made = waveform([.nan, .infinity, 0.5, -.infinity])
        #expect(made.points(1).peaks == [0.5])
        #expect(made.points(1).rms == [0.25])
    }
}
