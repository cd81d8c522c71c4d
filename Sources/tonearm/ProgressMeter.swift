import Glibc
import Platform

/// The line on a terminal that shows the finished part of a long job and the time left. It is a value; its owner writes the text.
struct ProgressMeter {
    /// The time between two updates, in seconds.
    static let interval = 0.25
    /// The delay before the line is shown, in seconds, so that a short job shows no line.
    static let delay = 0.5
    private static let erasing = "\r\u{1B}[K"

    /// The width of the terminal, in columns; nil if the output is no terminal, so that nothing is shown.
    private let columns: Int?
    private let start: HostTime
    private var next: HostTime
    private var isShown = false

    init(columns: Int?, now: HostTime) {
        self.columns = columns
        start = now
        next = now + Self.delay
    }

    /// Returns the text that has to be written; nil if nothing has to be written now. `done` is the finished part, 0 to 1, nil if the whole is
    /// unknown. A `label` from outside must be escaped.
    mutating func text(done: Double?, label: @autoclosure () -> String, now: HostTime) -> String? {
        guard let columns, now >= next else { return nil }
        next = now + Self.interval
        isShown = true
        return Self.erasing + TerminalText.fitting(Self.line(done: done, label: label(), elapsed: now - start), columns: columns - 1)
    }

    /// Returns the text that erases the line; nil if no line is shown.
    mutating func erase() -> String? {
        guard isShown else { return nil }
        isShown = false
        return Self.erasing
    }

    /// A line such as `42 %  1:12 left  label`; the time left follows from the time that the finished part has taken.
    static func line(done: Double?, label: String, elapsed: Double) -> String {
        guard let done, done.isFinite else { return label }
        let part = min(1, max(0, done))
        let percent = "\(Int(part * 100)) %"
        // A smaller part does not suffice for an estimate of the time left.
        guard part >= 0.01 else { return "\(percent)  \(label)" }
        return "\(percent)  \(RemoteText.clock((elapsed / part * (1 - part)).rounded(.up))) left  \(label)"
    }
}

/// The progress on standard error, if it is a terminal. One thread at a time may use it.
final class ProgressLine {
    private var meter: ProgressMeter
    private let clock: any HostClock

    init(clock: any HostClock = MonotonicClock()) {
        self.clock = clock
        meter = ProgressMeter(columns: TerminalText.columns(ofTerminal: STDERR_FILENO), now: clock.now)
    }

    /// Updates the line if enough time has passed.
    func show(_ done: Double?, _ label: @autoclosure () -> String) {
        if let text = meter.text(done: done, label: label(), now: clock.now) { Log.writeToStandardError(text) }
    }

    /// Erases the line, so that other text can be written.
    func erase() {
        if let text = meter.erase() { Log.writeToStandardError(text) }
    }
}
