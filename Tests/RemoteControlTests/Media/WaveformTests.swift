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

    @Test("the bands of a waveform match the samples, for any length", arguments: [1, 2, 7, 1000, 65_535, 65_536, 65_537, 300_003])
    func exactness(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let samples = (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
        let made = waveform(samples)
        #expect(made.frameCount == Int64(count))
        let duration = Double(count) / 1000
        let parts: [(Int, Double, Double)] = [(1, 0, duration), (3, 0, duration), (100, 0, duration), (7, duration / 3, duration / 2)]
        for (number, start, end) in parts {
            let bands = made.bands(number, from: start, to: end, isComplete: true)
            #expect(bands.minimum.count == number && bands.maximum.count == number && bands.rms.count == number)
            for band in 0..<number {
                // A band's range from minimum to maximum must contain all samples of the band. Other samples may extend it only if they are within
                // one cell of the band.
                let low = 1000 * (start + (end - start) * Double(band) / Double(number))
                let high = 1000 * (start + (end - start) * Double(band + 1) / Double(number))
                let inside = samples[min(count, Int(low.rounded(.up)))..<min(count, max(Int(low.rounded(.up)), Int(high.rounded(.down))))]
                let slack = made.length + 1
                let around = samples[max(0, Int(low) - slack)..<min(count, Int(high) + slack + 1)].map(Double.init)
                #expect(bands.maximum[band] >= inside.map(Double.init).max() ?? -1)
                #expect(bands.minimum[band] <= inside.map(Double.init).min() ?? 1)
                #expect(around.contains(bands.maximum[band]) && around.contains(bands.minimum[band]))
                #expect(bands.rms[band] <= max(bands.maximum[band], -bands.minimum[band]) + 1e-6)
            }
        }
        let rms = made.bands(100, from: 0, to: duration, isComplete: true).rms
        let power = rms.reduce(0) { $0 + $1 * $1 } / 100
        let wanted = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(count)
        #expect(abs(power - wanted) < 1e-5)
    }

    @Test("a single sample determines the minimum of its band, in any channel")
    func asymmetry() {
        var samples = [Float](repeating: 0.125, count: 200_000)
        samples[100_001] = -0.75
        let bands = waveform(samples, channels: 2).bands(4, from: 0, to: 100, isComplete: true)
        #expect(bands.minimum == [0.125, 0.125, -0.75, 0.125])
        #expect(bands.maximum == [0.125, 0.125, 0.125, 0.125])
    }

    @Test("the memory of a waveform does not depend on the length of the medium")
    func memory() {
        var made = Waveform(sampleRate: 1000)
        let block = AudioBlock(position: 0, frameCount: 50_000, channelCount: 1) { $0.initialize(repeating: 0.25) }
        for _ in 0..<200 { made.append(block) }
        #expect(made.frameCount == 10_000_000)
        #expect(made.byteCount <= 2 * 12 * Waveform.capacity)
        #expect(made.length * Waveform.capacity >= 10_000_000 && made.length <= 256)
        let bands = made.bands(2000, from: 0, to: 10_000, isComplete: true)
        #expect(bands.minimum.allSatisfy { $0 == 0.25 } && bands.maximum.allSatisfy { $0 == 0.25 })
        #expect(bands.rms.allSatisfy { abs($0 - 0.25) < 1e-6 })
    }

    @Test("before the analysis is complete, only the bands that are completely known are returned")
    func partial() {
        let made = waveform([Float](repeating: 0.5, count: 2500))
        #expect(made.bands(10, from: 0, to: 10, isComplete: false).maximum == [0.5, 0.5])
        #expect(made.bands(2, from: 3, to: 10, isComplete: false) == Waveform.Bands())
        #expect(made.bands(5, from: 0, to: 2.5, isComplete: false).rms.count == 5)
    }

    @Test("an empty waveform is silent, and samples that are not finite count as silence")
    func odd() {
        #expect(Waveform(sampleRate: 1000).bands(2, from: 0, to: 1, isComplete: true).maximum == [0, 0])
        let made = waveform([.nan, .infinity, 0.5, -.infinity]).bands(1, from: 0, to: 0.004, isComplete: true)
        #expect(made.maximum == [0.5] && made.minimum == [0] && made.rms == [0.25])
    }
}
