@testable import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Purity of the sample rate conversion")
struct PurityTests {
    /// The number of measured output frames.
    private static let measured = 4096

    /// The result of converting a tone: its level relative to the source, and everything else relative to it, in decibels.
    private struct Result {
        var level: Double
        /// The ratio of the tone to everything else.
        var purity: Double
        /// The level of the whole output relative to full scale.
        var output: Double
    }

    private static func convert(_ hertz: Double, from: Int, to: Int, _ quality: Resampler = .best) throws -> Result {
        let reach = ResamplingFilter(from: from, to: to, quality).length
        let skipped = Int((Double(reach) * Double(to) / Double(from)).rounded(.up))
        let count = Int64(Double(measured + 2 * skipped + 64) * Double(from) / Double(to)) + 16
        let step = 2 * Double.pi * hertz / Double(from)
        let tone = FunctionSource(sampleRate: from, count: count) { Float(0.5 * sin(step * Double($0))) }
        let conversion = try Conversion(tone, to: AudioFormat(sampleRate: to, channelLayout: .mono), quality)
        var samples = [Float](repeating: 0, count: measured + skipped)
        var filled = 0
        while filled < samples.count {
            let added = try samples.withUnsafeMutableBufferPointer { try conversion.fill($0.baseAddress! + filled, capacity: $0.count - filled) }
            try #require(added > 0)
            filled += added
        }
        let output = samples[skipped...].map { Double($0) }
        let fit = Sound.fit(hertz, to: output, sampleRate: to)
        let energy = output.reduce(0) { $0 + $1 * $1 }
        return Result(
            level: 20 * log10(fit.amplitude / 0.5), purity: fit.purity, output: 10 * log10(max(energy / Double(output.count), 1e-300) * 2))
    }

    static let rates = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000, 384_000]

    @Test("a tone near the upper end keeps its level, and nothing is added to it, at all pairs of usual rates", arguments: rates)
    func usualRates(_ from: Int) throws {
        for to in Self.rates where to != from {
            // The passband ends at 0.907 of half the lower rate: at 20 kHz of 44.1 kHz.
            let edge = 0.907 * Double(min(from, to)) / 2
            let result = try Self.convert(edge, from: from, to: to)
            #expect(result.purity > 135, "\(from) to \(to) Hz: \(result.purity) dB")
            #expect(abs(result.level) < 0.005, "\(from) to \(to) Hz: \(result.level) dB")
        }
    }

    @Test(
        "all tones up to 20 kHz keep their level and purity between 44.1 and 48 kHz",
        arguments: [(44_100, 48_000), (48_000, 44_100)])
    func music(_ from: Int, _ to: Int) throws {
        for hertz in stride(from: 400.0, through: 20_000, by: 980) {
            let result = try Self.convert(hertz, from: from, to: to)
            #expect(result.purity > 135, "\(hertz) Hz: \(result.purity) dB")
            #expect(abs(result.level) < 0.005, "\(hertz) Hz: \(result.level) dB")
        }
    }

    @Test(
        "tones above half the lower rate are removed",
        arguments: [(48_000, 44_100), (96_000, 44_100), (96_000, 48_000), (192_000, 48_000), (44_100, 16_000)])
    func aliases(_ from: Int, _ to: Int) throws {
        let half = Double(to) / 2
        for hertz in stride(from: half * 1.001, to: Double(from) / 2, by: Double(from - to) / 22) {
            #expect(try Self.convert(hertz, from: from, to: to).output < -130, "\(hertz) Hz")
        }
    }

    @Test(
        "tones near half the lower rate have no image above it",
        arguments: [(44_100, 48_000), (44_100, 96_000), (48_000, 96_000), (22_050, 48_000), (8_000, 384_000), (44_100, 47_999)])
    func images(_ from: Int, _ to: Int) throws {
        for part in [0.93, 0.96, 0.98, 0.99, 0.999] {
            let result = try Self.convert(part * Double(from) / 2, from: from, to: to)
            // What remains after the tone, relative to full scale.
            #expect(20 * log10(0.5) + result.level - result.purity < -130, "\(part): \(result)")
        }
    }

    @Test(
        "the fast conversion keeps tones up to 0.83 of half the lower rate, and removes those above 1.03 of it",
        arguments: [(44_100, 48_000), (48_000, 44_100), (96_000, 48_000), (22_050, 44_100)])
    func fast(_ from: Int, _ to: Int) throws {
        let half = Double(min(from, to)) / 2
        for part in [0.05, 0.5, 0.83] {
            let result = try Self.convert(part * half, from: from, to: to, .fast)
            #expect(result.purity > 90 && abs(result.level) < 0.005, "\(part): \(result)")
        }
        if from > to { #expect(try Self.convert(1.04 * half, from: from, to: to, .fast).output < -90) }
        let lengths = [Resampler.fast, .best].map { ResamplingFilter(from: from, to: to, $0).length }
        #expect(lengths[0] * 5 < lengths[1] * 2)
    }

    @Test(
        "rates without a small ratio are converted as purely",
        arguments: [(44_100, 47_999), (47_999, 44_100), (44_056, 48_000), (11_027, 192_000), (1_000_003, 48_000)])
    func oddRates(_ from: Int, _ to: Int) throws {
        for part in [0.05, 0.5, 0.9] {
            let result = try Self.convert(part * Double(min(from, to)) / 2, from: from, to: to)
            #expect(result.purity > 130, "\(part): \(result.purity) dB")
            #expect(abs(result.level) < 0.005)
        }
    }

    @Test(
        "the filters of any two rates need at most 16 MB",
        arguments: [1, 7, 3_999, 8_000, 44_100, 47_999, 192_001, 384_000, 1_000_003, 99_999_989])
    func bounded(_ from: Int) {
        for to in [4_000, 4_001, 8_000, 44_100, 48_000, 191_999, 384_000] where to != from {
            let filter = ResamplingFilter(from: from, to: to)
            let phases = filter.isExact ? to / Ratio.greatestCommonDivisor(from, to) : (1 << filter.phaseShift) + 1
            #expect(phases * filter.length * (filter.isDouble ? 8 : 4) <= 16 << 20, "\(from) to \(to)")
        }
    }
}
