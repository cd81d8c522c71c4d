import Testing

@testable import PulseOutput

@Suite("How soon a device is told")
struct MarginTests {
    private let rate = 48_000

    private func milliseconds(_ frames: Int64) -> Double { (Double(frames) / Double(rate) * 1e4).rounded() / 10 }

    /// What was seen of a device that took back everything up to 1 ms before what is heard.
    private func known() -> Rewinding {
        var rewinding = Rewinding()
        #expect(rewinding.judge(rests: 481, start: 480, read: 9_600, heard: 100, sampleRate: rate) == .inPlace)
        return rewinding
    }

    @Test("10 ms where nothing is known of it, 5 ms once it has taken back what it had")
    func begins() {
        #expect(Rewinding().start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 10)
        #expect(known().start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
    }

    @Test("where the server is about to read anyway, nothing is taken back")
    func isNotSooner() {
        #expect(known().start(heard: 0, read: 480, sampleRate: rate) == nil)
        #expect(known().start(heard: 0, read: 482, sampleRate: rate) == 240)
    }

    @Test("one that would not go back as far as was asked is asked no sooner than it went")
    func reaches() {
        var rewinding = Rewinding()
        // It rests 20 ms behind what is heard.
        let outcome = rewinding.judge(rests: 1_060, start: 480, read: 9_600, heard: 100, sampleRate: rate)
        #expect(outcome == .begins(1_060))
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 25)
    }

    @Test("who came too late begins twice as early, up to 20 ms, and by and by as late as before")
    func adapts() {
        var rewinding = known()
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

    @Test("what came in time did so however late that is heard of, and what came too late begins anew behind what is heard by then")
    func isJudgedByTheServersTime() {
        var rewinding = known()
        #expect(rewinding.judge(rests: nil, start: 240, heard: 239, now: 2_400, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
        #expect(rewinding.judge(rests: nil, start: 240, heard: 600, now: 2_400, sampleRate: rate) == .begins(2_400 + 480))
    }

    @Test("a device that has gone back to the start has taken back all behind it, whatever its timing seems to say")
    func isToldByTheServer() {
        var rewinding = known()
        #expect(rewinding.judge(rests: 240, start: 240, heard: 600, now: 600, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
        #expect(rewinding.judge(rests: 500, start: 240, heard: 600, now: 600, sampleRate: rate) == .begins(600 + 480))
    }

    @Test("of what came too late by 5 ms or less the rest is heard where it belongs, and the next begins earlier")
    func bearsAShortDelay() {
        var rewinding = known()
        #expect(rewinding.judge(rests: 480, start: 240, heard: 500, now: 600, sampleRate: rate) == .inPlace)
        #expect(rewinding.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 10)
        #expect(rewinding.judge(rests: 9_600, start: 240, heard: 481, now: 600, sampleRate: rate) == .begins(600 + 960))
    }

    @Test("one that kept what it had twice is not asked again, until another stream is opened on it")
    func givesUp() {
        var rewinding = Rewinding()
        for _ in 0..<2 {
            #expect(!rewinding.isHopeless)
            #expect(rewinding.judge(rests: 9_600, start: 480, read: 9_600, heard: 100, sampleRate: rate) == .stays(9_600))
        }
        #expect(rewinding.isHopeless)
        #expect(!rewinding.ofDevice.isHopeless)
    }

    @Test("what was seen of it holds for the next stream on it")
    func isRemembered() {
        #expect(known().ofDevice.start(heard: 0, read: 96_000, sampleRate: rate).map(milliseconds) == 5)
    }
}
