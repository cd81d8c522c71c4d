import PlaybackEngine
import Testing

@Suite("Rates of the pitch algorithms")
struct PitchAlgorithmTests {
    @Test("three algorithms render any rate from 1/32 to 32 exactly (R-PITCH-01)", arguments: [PitchAlgorithm.timeDomain, .spectral, .varispeed])
    func exactRates(algorithm: PitchAlgorithm) {
        for rate in [1.0 / 32, 0.7, 1.0, 1.1, 32.0, -1.0, -0.4] { #expect(algorithm.effectiveRate(for: rate) == rate) }
        #expect(algorithm.changesPitch == (algorithm == .varispeed))
    }

    static let snaps: [(asked: Double, rendered: Double)] = [
        (0.03125, 0.5), (0.55, 0.5), (0.6, 2.0 / 3), (0.72, 2.0 / 3), (0.75, 0.8), (0.89, 0.8), (0.9, 1), (1.1, 1), (1.12, 1.25), (1.36, 1.25),
        (1.4, 1.5), (1.7, 1.5),
        (1.75, 2), (32, 2), (-1.6, -1.5),
    ]

    @Test("lowQualityZeroLatency snaps to the nearest of seven rates with the same sign (R-PITCH-01)", arguments: snaps)
    func snapping(asked: Double, rendered: Double) {
        #expect(PitchAlgorithm.lowQualityZeroLatency.effectiveRate(for: asked) == rendered)
    }

    @Test("rates of 0, NaN and out of range cannot be rendered (R-RATE-08)", arguments: PitchAlgorithm.allCases)
    func refused(algorithm: PitchAlgorithm) {
        for rate in [0, .nan, 33, -33, 0.03, .infinity] as [Double] { #expect(algorithm.effectiveRate(for: rate) == nil) }
    }

    @Test("beyond 8, in both directions, spectral is rendered as timeDomain; every other algorithm is rendered as itself (R-PITCH-01)")
    func spectralAtHighRates() {
        for rate in [1.0 / 32, 1.5, 8, -8] { #expect(PitchAlgorithm.spectral.renderer(for: rate) == .spectral) }
        for rate in [8.01, 32, -16] { #expect(PitchAlgorithm.spectral.renderer(for: rate) == .timeDomain) }
        for algorithm in PitchAlgorithm.allCases where algorithm != .spectral { #expect(algorithm.renderer(for: 32) == algorithm) }
    }
}
