import Platform
import Testing

@testable import tonearm

@Suite("The progress of long jobs")
struct ProgressMeterTests {
    private let start = HostTime(seconds: 100)

    @Test("the first line appears after half a second, and at most four a second follow")
    func pace() {
        var meter = ProgressMeter(columns: 80, now: start)
        let shown = stride(from: 0.0, to: 3.0, by: 0.01).filter { meter.text(done: 0.5, label: "x", now: start + $0) != nil }
        #expect(shown.first.map { abs($0 - 0.5) < 0.02 } == true)
        #expect(shown.count <= 10)
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $1 - $0 >= 0.25 })
    }

    @Test("without a terminal nothing is shown or erased")
    func noTerminal() {
        var meter = ProgressMeter(columns: nil, now: start)
        #expect(meter.text(done: 0.5, label: "x", now: start + 10) == nil)
        #expect(meter.erase() == nil)
    }

    @Test("a line replaces the one before, fits the terminal, and is erased once")
    func line() {
        var meter = ProgressMeter(columns: 20, now: start)
        #expect(meter.erase() == nil)
        #expect(meter.text(done: 0.25, label: "a long label", now: start + 10) == "\r\u{1B}[K25 %  0:30 left  a…")
        #expect(meter.erase() == "\r\u{1B}[K")
        #expect(meter.erase() == nil)
    }

    @Test(
        "the time left follows from the time so far, and is absent while it would be a guess",
        arguments: [
            (0.5, 60, "50 %  1:00 left  x"), (0.001, 60, "0 %  x"), (1, 60, "100 %  0:00 left  x"), (7, 60, "100 %  0:00 left  x"),
            (-1, 60, "0 %  x"),
            (0.1, 1000, "10 %  2:30:00 left  x"), (.nan, 60, "x"),
        ])
    func timeLeft(done: Double, elapsed: Double, text: String) { #expect(ProgressMeter.line(done: done, label: "x", elapsed: elapsed) == text) }

    @Test("a job of unknown size shows its label only")
    func unknown() { #expect(ProgressMeter.line(done: nil, label: "1:00 rendered", elapsed: 5) == "1:00 rendered") }
}
