import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Headroom")
struct HeadroomTests {
    private let hot = LoudnessTags(trackGain: 0, trackPeak: 1.25, albumPeak: 1.6)

    @Test("without headroom nothing is attenuated")
    func off() { #expect(hot.reduction(.off, after: .off) == 1) }

    @Test("the peak in the tags, where it is over full scale, determines the attenuation (R-LNX-48)")
    func peak() {
        #expect(hot.reduction(.peak, after: .off) == 0.8)
        #expect(LoudnessTags(trackPeak: 0.9).reduction(.peak, after: .off) == 1)
        #expect(LoudnessTags().reduction(.peak, after: .off) == 1)
        #expect(LoudnessTags(albumPeak: 2).reduction(.peak, after: .off) == 0.5)
    }

    @Test("in the mode album the peak of the album counts, so that its tracks keep their relation (R-LNX-48)")
    func album() { #expect(hot.reduction(.peak, after: .album) == 0.625) }

    @Test("a peak that the loudness has already reduced is not reduced again (R-LNX-48)")
    func afterLoudness() {
        let quiet = LoudnessTags(trackGain: -6.0206, trackPeak: 1.25)
        #expect(quiet.reduction(.peak, after: .track) == 1)
    }

    @Test("decibels attenuate each item, and a peak that demands more attenuates more (R-LNX-48)")
    func decibels() {
        #expect(abs(LoudnessTags().reduction(.decibels(6.0206), after: .off) - 0.5) < 1e-5)
        #expect(hot.reduction(.decibels(1), after: .off) == 0.8)
        #expect(hot.reduction(.decibels(0), after: .off) == 0.8)
    }

    @Test("off, peak and decibels from 0 to 12 are the only words")
    func words() {
        #expect(Headroom("off") == .off && Headroom("peak") == .peak && Headroom("1.5") == .decibels(1.5) && Headroom("12") == .decibels(12))
        for word in ["", "on", "-1", "12.5", "nan", "inf", "1 dB", "1,5"] { #expect(Headroom(word) == nil) }
    }

    // MARK: The engine

    /// Plays 1,000 frames of a ramp from `base` on, and returns what was heard and the number of clipped frames that were reported.
    private func play(
        _ base: Float, peak: String? = nil, _ change: @escaping @Sendable (inout EngineSettings) -> Void
    ) -> (first: Float, clipped: Int) {
        var script = RampReader.Script(frames: 1_000, base: base)
        script.metadata = peak.map { [MetadataEntry(key: "REPLAYGAIN_TRACK_PEAK", value: $0)] } ?? []
        let rig = EngineRig(["a": script])
        rig.send(.setting(change), .load(EngineRig.request(1, "a")), .setRunning(true))
        let heard = rig.play(frames: 1_000)
        let clipped = rig.takeEvents().reduce(0) { if case .clipped(let frames) = $1 { $0 + frames } else { $0 } }
        return (heard.first?.value ?? 0, clipped)
    }

    @Test("frames over full scale are counted, at the volume at which they are heard (R-LNX-48)")
    func counted() {
        #expect(play(1) { _ in }.clipped == 999, "a sample of exactly 1 is not over full scale")
        #expect(play(1) { $0.volume = 0.01 }.clipped == 900)
        #expect(play(1) { $0.isMuted = true }.clipped == 0)
        #expect(play(-1_200) { $0.volume = 0.5 }.clipped == 1_000)
    }

    @Test("the headroom is applied to the samples, from the first one on (R-LNX-48)")
    func applied() {
        #expect(play(100, peak: "1.25") { $0.headroom = .peak }.first == 80)
        #expect(play(100) { $0.headroom = .peak }.first == 100)
    }
}
