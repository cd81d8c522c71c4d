import Glibc
import PlaybackEngine
import Testing

@Suite("Loudness tags")
struct LoudnessTagsTests {
    private func tags(_ codec: String = "flac", _ entries: KeyValuePairs<String, String>) -> LoudnessTags {
        LoudnessTags(
            MediaInfo(
                containerName: "x", codecName: codec, format: .compactDisc, metadata: entries.map { MetadataEntry(key: $0.key, value: $0.value) }))
    }
    private func decibels(_ text: String) -> Double? { tags("flac", ["REPLAYGAIN_TRACK_GAIN": text]).trackGain }
    private func isNear(_ factor: Float, _ decibels: Double) -> Bool { abs(20 * log10(Double(factor)) - decibels) < 0.001 }

    @Test(
        "a gain is parsed with or without its unit, in any case, and with a decimal comma",
        arguments: [("-7.89 dB", -7.89), ("+1.5 db", 1.5), ("3", 3), (" -0,5 DB ", -0.5), ("2.5dB", 2.5), ("-1e1 dB", -10), ("0.00 dB", 0)])
    func gains(text: String, value: Double) { #expect(decibels(text) == value) }

    @Test(
        "a gain that cannot be parsed counts as absent",
        arguments: [
            "", "dB", "loud", "nan", "inf dB", "0x10", "1.2.3", "1,2,3", "--3", "-7.89 dBFS", "1e999", "١ dB", "-7.89\0",
            String(repeating: "1", count: 40),
        ])
    func noGains(text: String) { #expect(decibels(text) == nil) }

    @Test(
        "a peak is a number above 0",
        arguments: [("0.98", 0.98), ("1.2", 1.2), ("0", nil), ("-1", nil), ("nan", nil), ("", nil)] as [(String, Double?)])
    func peaks(text: String, value: Double?) { #expect(tags("flac", ["replaygain_track_peak": text]).trackPeak == value) }

    @Test("an R128 gain is in 1/256 dB and relative to −23 LUFS, 5 dB below ReplayGain's reference (RFC 7845, 5.2.1)")
    func r128() {
        let found = tags("opus", ["R128_TRACK_GAIN": "-2560", "r128_album_gain": "256"])
        #expect(found.trackGain == -5)
        #expect(found.albumGain == 6)
    }

    @Test(
        "an R128 gain that is not a signed 16-bit integer counts as absent",
        arguments: ["32768", "-32769", "1.5", "0x10", "", "-10 dB", "99999999999999999999"])
    func noR128(text: String) { #expect(tags("opus", ["R128_TRACK_GAIN": text]).trackGain == nil) }

    @Test("if both kinds of tags are present, R128 takes precedence in Opus and ReplayGain in other codecs")
    func precedence() {
        let both: KeyValuePairs = ["R128_TRACK_GAIN": "0", "REPLAYGAIN_TRACK_GAIN": "-3 dB"]
        #expect(tags("opus", both).trackGain == 5)
        #expect(tags("vorbis", both).trackGain == -3)
        #expect(tags("vorbis", ["R128_TRACK_GAIN": "0"]).trackGain == 5)
        #expect(tags("opus", ["R128_TRACK_GAIN": "x", "REPLAYGAIN_TRACK_GAIN": "-3 dB"]).trackGain == -3)
    }

    @Test("the factor is exactly 1 if the mode is off or tags are absent")
    func nothing() {
        #expect(LoudnessTags(trackGain: -6, albumGain: -6, trackPeak: 0.5, albumPeak: 0.5).factor(.off) == 1)
        #expect(LoudnessTags().factor(.track) == 1)
        #expect(LoudnessTags(trackPeak: 0.5, albumPeak: 0.5).factor(.album) == 1)
    }

    @Test("each mode uses its own gain, or the other's if its own is absent")
    func modes() {
        let both = LoudnessTags(trackGain: -6, albumGain: -3)
        #expect(isNear(both.factor(.track), -6))
        #expect(isNear(both.factor(.album), -3))
        #expect(isNear(LoudnessTags(trackGain: -6).factor(.album), -6))
        #expect(isNear(LoudnessTags(albumGain: -3).factor(.track), -3))
    }

    @Test("a gain is limited by the peak, and full scale is assumed if there is no peak")
    func clipping() {
        #expect(isNear(LoudnessTags(trackGain: 6, trackPeak: 0.25).factor(.track), 6))
        #expect(LoudnessTags(trackGain: 6, trackPeak: 0.8).factor(.track) == 1.25)
        #expect(LoudnessTags(trackGain: 6).factor(.track) == 1)
        #expect(isNear(LoudnessTags(trackGain: 6, albumPeak: 0.25).factor(.track), 6))
        #expect(LoudnessTags(trackGain: 6, trackPeak: 1.3).factor(.track) == 1)
        #expect(isNear(LoudnessTags(trackGain: -6, trackPeak: 1.3).factor(.track), -6))
    }

    @Test(
        "extreme gains are limited, and every factor is finite and positive",
        arguments: [-1e300, -128, 128, 1e300, .nan, .infinity, -.infinity])
    func absurd(gain: Double) {
        for peak in [nil, 0, 1e-300, 1e300, .nan, .infinity, -1] as [Double?] {
            let factor = LoudnessTags(trackGain: gain, trackPeak: peak).factor(.track)
            #expect(factor.isFinite && factor > 0)
            #expect(abs(20 * log10(Double(factor))) <= LoudnessTags.greatestGain + 0.001)
        }
    }
}
