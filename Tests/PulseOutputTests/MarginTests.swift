import Testing

@testable import PulseOutput

@Suite("The safety margin of replacements")
struct MarginTests {
    private let rate = 48_000

    private func milliseconds(_ frames: Int64) -> Double { (Double(frames) / Double(rate) * 1e4).rounded() / 10 }

    /// Returns the knowledge about a device that has passed the trial: the device has rewound to the requested frame.
    private func knownDevice() -> Rewinding {
        var rewinding = Rewinding()
        #expect(rewinding.judge(rests: 481, start: 480, read: 9_600, heard: 100, sampleRate: rate) == .inPlace)
        return rewinding
    }

    @Test("the margin is 10 ms for an unknown device, and 5 ms after a successful rewind")
    func begins() {
        #expect(Rewinding().start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 10)
        #expect(knownDevice().start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
    }

    @Test("nothing is rewound if the server is about to read anyway")
    func isNotSooner() {
        #expect(knownDevice().start(heard: 0, read: 480, sampleRate: rate) == nil)
        #expect(knownDevice().start(heard: 0, read: 482, sampleRate: rate) == 240)
    }

    @Test("a device that rewinds less than requested gets a margin no smaller than the distance it reached")
    func reaches() {
        var rewinding = Rewinding()
        // The device has rewound only to a frame 20 ms after the playhead. The requested frame was 8 ms after the playhead.
        let outcome = rewinding.judge(rests: 1_060, start: 480, read: 9_600, heard: 100, sampleRate: rate)
        #expect(outcome == .begins(1_060))
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 25)
    }

    @Test("after a late replacement the margin doubles, up to 20 ms, and decays after successes")
    func adapts() {
        var rewinding = knownDevice()
        var leads: [Double] = []
        for _ in 0..<4 {
            guard case .begins(let frame) = rewinding.judge(rests: nil, start: 240, heard: 600, now: 600, sampleRate: rate) else {
                return #expect(Bool(false))
            }
            leads.append(milliseconds(frame - 600))
        }
        #expect(leads == [10, 20, 20, 20])
        for _ in 0..<30 { #expect(rewinding.judge(rests: nil, start: 240, heard: 0, now: 0, sampleRate: rate) == .inPlace) }
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
    }

    @Test("timeliness is judged by the server's timestamp, not by the reading of the reply, and a late replacement begins again after the playhead")
    func isJudgedByTheServersTime() {
        var rewinding = knownDevice()
        #expect(rewinding.judge(rests: nil, start: 240, heard: 239, now: 2_400, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
        #expect(rewinding.judge(rests: nil, start: 240, heard: 600, now: 2_400, sampleRate: rate) == .begins(2_400 + 480))
    }

    @Test("a device that has rewound to the start has replaced everything after it, whatever its timing")
    func isJudgedByTheReadIndex() {
        var rewinding = knownDevice()
        #expect(rewinding.judge(rests: 240, start: 240, heard: 600, now: 600, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
        #expect(rewinding.judge(rests: 500, start: 240, heard: 600, now: 600, sampleRate: rate) == .begins(600 + 480))
    }

    @Test("a replacement that is late by at most 5 ms is kept in place, and the next margin is larger")
    func bearsAShortDelay() {
        var rewinding = knownDevice()
        #expect(rewinding.judge(rests: 480, start: 240, heard: 500, now: 600, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 10)
        #expect(rewinding.judge(rests: 9_600, start: 240, heard: 481, now: 600, sampleRate: rate) == .begins(600 + 960))
    }

    @Test("a device that kept its data twice is not asked again, until another stream is opened on it")
    func givesUp() {
        var rewinding = Rewinding()
        for _ in 0..<2 {
            #expect(!rewinding.isHopeless)
            #expect(rewinding.judge(rests: 9_600, start: 480, read: 9_600, heard: 100, sampleRate: rate) == .stays(9_600))
        }
        #expect(rewinding.isHopeless)
        #expect(!rewinding.ofDevice.isHopeless)
    }

    @Test("a device's margin applies to the next stream on it")
    func isRemembered() {
        #expect(knownDevice().ofDevice.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
    }
}
