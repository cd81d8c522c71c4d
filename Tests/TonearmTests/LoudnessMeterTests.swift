import Foundation
import tonearm
import PlaybackEngine
import Testing

/// The reference signals of EBU Tech 3341 (integrated loudness), Tech 3342 (range) and of ITU-R BS.1770-4, annex 2 (true peak).
@Suite("The loudness of a recording")
struct LoudnessMeterTests {
    private func format(_ rate: Int, _ layout: ChannelLayout) -> AudioFormat { AudioFormat(sampleRate: rate, channelLayout: layout) }

    /// Measures sine tones, one after the other, which are equal in the given channels and silent in the others.
    private func measure(
        _ tones: [(hertz: Double, decibels: Double, seconds: Double)], phase: Double = 0, rate: Int = 48_000, layout: ChannelLayout = .stereo,
        channels: Set<Int> = [0, 1]
    ) throws -> LoudnessMeter.Measurement {
        let meter = try #require(LoudnessMeter(format(rate, layout)))
        for tone in tones {
            let (count, amplitude) = (Int(tone.seconds * Double(rate)), pow(10, tone.decibels / 20))
            var samples = [Float](repeating: 0, count: count * layout.count)
            for frame in 0..<count {
                let value = Float(amplitude * sin(2 * .pi * tone.hertz * Double(frame) / Double(rate) + phase))
                for channel in channels { samples[frame * layout.count + channel] = value }
            }
            meter.add(samples, frameCount: count)
        }
        return meter.measurement
    }

    @Test("a tone of 1 kHz at -23 dBFS in both channels has -23 LUFS, at each rate (Tech 3341, case 1)", arguments: [44_100, 48_000, 96_000])
    func reference(_ rate: Int) throws {
        let found = try measure([(1_000, -23, 5)], rate: rate)
        #expect(abs(try #require(found.integrated) + 23) < 0.1)
    }

    @Test("quiet parts before and after do not count (Tech 3341, case 3)")
    func gated() throws {
        let found = try measure([(1_000, -36, 3), (1_000, -23, 15), (1_000, -36, 3)])
        #expect(abs(try #require(found.integrated) + 23) < 0.1)
    }

    @Test("the range is the difference between the loud and the quiet half (Tech 3342, case 1)")
    func range() throws {
        let found = try measure([(1_000, -20, 20), (1_000, -30, 20)])
        #expect(abs(try #require(found.range) - 10) < 1)
    }

    @Test("the channel of low frequencies does not count, and surround channels count more (BS.1770-4)")
    func surround() throws {
        let layout = ChannelLayout(mask: 0x3F)
        #expect(try measure([(1_000, -23, 5)], layout: layout, channels: [3]).integrated == nil)
        let front = try measure([(1_000, -23, 5)], layout: layout, channels: [0])
        let back = try measure([(1_000, -23, 5)], layout: layout, channels: [4])
        #expect(abs(try #require(back.integrated) - (try #require(front.integrated)) - 1.5) < 0.1)
    }

    @Test("the true peak is that of the waveform between the samples (BS.1770-4, annex 2)")
    func truePeak() throws {
        // The samples of a quarter of the rate, at 45°, are 3 dB below the peak of the tone.
        let found = try measure([(12_000, 0, 1)], phase: .pi / 4)
        #expect(abs(found.samplePeak - 0.5.squareRoot()) < 0.001)
        #expect(abs(20 * log10(found.truePeak)) < 0.4)
        #expect(found.clippedFrames == 0)
    }

    @Test("frames over full scale are counted, once for all channels")
    func clipped() throws {
        let found = try measure([(12_000, 6, 1)], phase: .pi / 4)
        #expect(found.clippedFrames == 48_000)
        #expect(found.samplePeak > 1.4)
    }

    @Test("silence, and no audio at all, have no loudness")
    func silence() throws {
        let found = try measure([(1_000, -200, 2)])
        #expect(found.integrated == nil && found.range == nil && found.samplePeak < 1e-9)
        #expect(try #require(LoudnessMeter(format(48_000, .mono))).measurement.truePeak == 0)
    }

    @Test(
        "formats at the limits are measured or refused",
        arguments: [(4_000, 1, true), (384_000, 8, true), (48_000, 64, true), (48_000, 65, false)])
    func limits(_ rate: Int, _ channels: Int, _ isMeasured: Bool) {
        let meter = LoudnessMeter(format(rate, ChannelLayout(count: channels)))
        #expect((meter != nil) == isMeasured)
        meter?.add([Float](repeating: 0.5, count: 1_000 * channels), frameCount: 1_000)
        #expect(meter.map { $0.measurement.samplePeak } ?? 0.5 == 0.5)
    }
}
