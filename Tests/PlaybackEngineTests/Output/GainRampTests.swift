import Foundation
import PlaybackTesting
import Testing

@testable import PlaybackEngine

@Suite("The ramp of a gain")
struct GainRampTests {
    /// Applies gains to a tone of 220 Hz at half level, each after a number of frames, and rounds to 16 bits.
    private func tone(_ changes: [(frames: Int, gain: Float)]) -> [Int32] {
        var ramp = GainRamp(gain: 1, sampleRate: 48_000, channelCount: 1)
        var samples: [Int32] = []
        for (frames, gain) in changes + [(4_800, 1)] {
            let start = samples.count
            var block = (0..<frames).map { index -> Float in
                let time = Double(start + index) / 48_000
                return Float(16_384 * sin(2 * Double.pi * 220 * time))
            }
            block.withUnsafeMutableBufferPointer { ramp.apply(to: $0) }
            samples += block.map { Int32($0.rounded()) }
            ramp.approach(gain)
        }
        return samples
    }

    @Test("a steady tone has third differences of at most 4, a step of 0.02 one of more than 600")
    func reference() {
        #expect(tone([]).thirdDifferences[0] <= 4)
        var stepped = tone([])
        for index in 2_455..<4_800 { stepped[index] = Int32((Double(stepped[index]) * 0.98).rounded()) }
        #expect(stepped.thirdDifferences[0] > 600)
    }

    @Test("a drag of 40 changes by 0.02 has third differences of at most 40 (R-LNX-43)", arguments: [400, 1_200, 4_000])
    func drag(_ frames: Int) {
        #expect(tone((1...40).map { (frames, 1 - Float($0) * 0.02) }).thirdDifferences[0] <= 40)
    }

    @Test("100 changes between 0 and 1 at random moments have third differences of at most 40 (R-LNX-43)")
    func whole() {
        var state: UInt64 = 24
        let changes = (1...100).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Int(state >> 33) % 5_000 + 1, index.isMultiple(of: 2) ? Float(1) : 0)
        }
        let samples = tone(changes)
        #expect(samples.thirdDifferences[0] <= 40)
        #expect(samples.suffix(480).contains { $0 > 16_000 })
    }

    @Test("a gain that is reached is exact, and 1 leaves every sample unchanged (R-VOL-01)")
    func exact() {
        var ramp = GainRamp(gain: 0.3, sampleRate: 1_000, channelCount: 2)
        ramp.approach(1)
        var samples = [Float](repeating: 0.7, count: 100)
        samples.withUnsafeMutableBufferPointer { ramp.apply(to: $0) }
        #expect(samples[78] == 0.7 && samples[77] < 0.7 && samples[79...].allSatisfy { $0 == 0.7 })
    }
}
