import Foundation
import Testing

@testable import PlaybackEngine

@Suite("The rounding to 16 bits")
struct DitherTests {
    private func rounded(_ samples: [Float], channels: Int = 1, _ dither: Dither = .tpdf, inBlocksOf block: Int = .max) -> [Int16] {
        var noise = dither == .tpdf ? DitherNoise(channelCount: channels) : nil
        var bytes: [UInt8] = []
        samples.withUnsafeBufferPointer { samples in
            for start in stride(from: 0, to: samples.count, by: min(block, samples.count)) {
                let part = UnsafeBufferPointer(rebasing: samples[start..<min(samples.count, start + min(block, samples.count))])
                bytes += WaveEncoding.int16.bytes(of: part, noise: &noise)
            }
        }
        return bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    @Test("every value of 16 bits is exact, with dither and without, whatever was dithered before (R-LNX-44)", arguments: Dither.allCases)
    func exact(_ dither: Dither) {
        let values = (Int(Int16.min)...Int(Int16.max)).map { Int16($0) }
        let samples = values.flatMap { value -> [Float] in [Float(value) / 32_768, 0.1] }
        let found = rounded(samples, channels: 2, dither)
        #expect(stride(from: 0, to: found.count, by: 2).map { found[$0] } == values)
    }

    @Test("without dither, a sample becomes the nearest value and is never truncated (R-LNX-44)")
    func nearest() {
        #expect(rounded([0.6, -0.6, 1.4, -1.4, 0.49, 40_000, -40_000].map { $0 / 32_768 }, .none) == [1, -1, 1, -1, 0, 32_767, -32_768])
    }

    @Test(
        "with dither, the mean of the error is zero and its variance a quarter of a bit, whatever the level is (R-LNX-44)",
        arguments: [0.1, 0.25, 0.5, 0.9, 1_000.3])
    func moments(_ level: Double) {
        let count = 200_000
        let errors = rounded([Float](repeating: Float(level / 32_768), count: count)).map { Double($0) - level }
        let mean: Double = errors.reduce(0, +) / Double(count)
        let squares: [Double] = errors.map { ($0 - mean) * ($0 - mean) }
        let variance: Double = squares.reduce(0, +) / Double(count)
        #expect(abs(mean) < 0.006)
        #expect(abs(variance - 0.25) < 0.006)
        #expect(errors.allSatisfy { abs($0) <= 1.5 })
    }

    @Test("a tone below the last bit survives with dither and is lost without (R-LNX-44)")
    func faintTone() {
        let tone = (0..<48_000).map { sin(2 * Double.pi * 1_000 * (Double($0) / 48_000)) }
        let samples = tone.map { Float(0.4 * $0 / 32_768) }
        #expect(rounded(samples, .none).allSatisfy { $0 == 0 })
        let found = rounded(samples)
        let level = zip(found, tone).map { Double($0) * $1 }.reduce(0, +) / 24_000
        #expect(abs(level - 0.4) < 0.02)
    }

    @Test("the noise of two channels is independent, and the same in every run and for blocks of any length (R-LNX-44)")
    func channels() {
        let samples = [Float](repeating: 0.5 / 32_768, count: 100_000)
        let found = rounded(samples, channels: 2)
        #expect(found == rounded(samples, channels: 2, inBlocksOf: 998))
        let products = stride(from: 0, to: found.count, by: 2).map { (Double(found[$0]) - 0.5) * (Double(found[$0 + 1]) - 0.5) }
        let correlation: Double = products.reduce(0, +) / Double(products.count)
        #expect(abs(correlation) < 0.005)
    }

    @Test("dithered samples at full scale are clipped, not wrapped (R-LNX-44)")
    func fullScale() {
        let found = rounded([Float](repeating: 32_767.4 / 32_768, count: 1_000) + [1.5, -1.5, .nan])
        #expect(found.dropLast(3).allSatisfy { $0 >= 32_766 })
        #expect(found.suffix(3) == [32_767, -32_768, 0])
    }
}
