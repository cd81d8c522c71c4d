import Testing

@testable import PlaybackEngine

@Suite("The settings of the engine")
struct EngineSettingsTests {
    @Test("an invalid rate is replaced by the former one")
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

    @Test("the crossfade is limited to 12 s and the forward buffer to a minute; values that are not finite become 0")
    func durations() {
        for (wanted, crossfade, buffer) in [(-1, 0, 0), (5, 5, 5), (1e9, 12, 60), (.nan, 0, 0), (.infinity, 0, 0)] as [(Double, Double, Double)] {
            var settings = EngineSettings()
            (settings.crossfade, settings.forwardBuffer) = (wanted, wanted)
            let bounded = settings.bounded(after: EngineSettings())
            #expect(bounded.crossfade == crossfade && bounded.forwardBuffer == buffer)
        }
    }
}
