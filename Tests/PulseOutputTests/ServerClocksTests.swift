import Testing

@testable import PulseOutput

@Suite("The clock of PipeWire")
struct ServerClocksTests {
    private let clocks = ServerClocks()

    @Test("a device of another rate than the default one plays what the clock mixes at the default rate (R-LNX-41)")
    func fixedRate() {
        for _ in 0..<2 { #expect(clocks.rate(of: "dac", at: 44_100, defaultRate: 48_000) == 48_000) }
        #expect(clocks.rate(of: "hdmi", at: 48_000, defaultRate: 48_000) == 48_000)
    }

    @Test("a device that has changed its rate has the rate of the clock, also later (R-LNX-41)")
    func following() {
        _ = clocks.rate(of: "dac", at: 48_000, defaultRate: 48_000)
        for rate in [44_100, 44_100, 96_000, 48_000, 44_100] { #expect(clocks.rate(of: "dac", at: rate, defaultRate: 48_000) == rate) }
        #expect(clocks.rate(of: "other", at: 44_100, defaultRate: 48_000) == 48_000)
    }

    @Test("another default rate is another configuration, in which nothing is known (R-LNX-41)")
    func otherConfiguration() {
        for rate in [48_000, 44_100] { _ = clocks.rate(of: "dac", at: rate, defaultRate: 48_000) }
        #expect(clocks.rate(of: "dac", at: 44_100, defaultRate: 96_000) == 96_000)
    }

    @Test("the memory of devices is bounded (R-LNX-41)")
    func bounded() {
        for rate in [48_000, 44_100] { _ = clocks.rate(of: "dac", at: rate, defaultRate: 48_000) }
        for index in 0..<ServerClocks.maximumDeviceCount { _ = clocks.rate(of: "device \(index)", at: 48_000, defaultRate: 48_000) }
        #expect(clocks.rate(of: "dac", at: 44_100, defaultRate: 48_000) == 48_000)
    }
}
