import Testing

@testable import PlaybackEngine

@Suite("The settings of the engine")
struct EngineSettingsTests {
    @Test("keep the former rate in place of one that cannot be played")
    func rate() {
        var former = EngineSettings()
        former.rate = -2
        for rate in [0, .nan, .infinity, -.infinity] as [Double] {
            var wanted = EngineSettings()
            wanted.rate = rate
            #expect(wanted.bounded(after: former).rate == -2)
        }
        #expect(EngineSettings().bounded(after: former).rate == 1)
    }

    @Test("bound the crossfade by 12 s and the forward buffer by a minute; what is no duration is 0")
    func durations() {
        for (wanted, crossfade, buffer) in [(-1, 0, 0), (5, 5, 5), (1e9, 12, 60), (.nan, 0, 0), (.infinity, 0, 0)] as [(Double, Double, Double)] {
            var settings = EngineSettings()
            (settings.crossfade, settings.forwardBuffer) = (wanted, wanted)
            let bounded = settings.bounded(after: EngineSettings())
            #expect(bounded.crossfade == crossfade && bounded.forwardBuffer == buffer)
        }
    }
}
