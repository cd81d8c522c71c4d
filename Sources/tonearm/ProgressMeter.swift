import Glibc
import Platform

/// The line that shows the progress of a long job on a terminal: the part that is done, and the time left. A value: the caller writes the text.
struct ProgressMeter {
    /// The minimum time between two lines, in seconds.
    static let interval = 0.25
    /// The time before the first line, in seconds, so that short jobs show none.
    static let delay = 0.5
    /// Erases the line, and returns to its beginning.
    private static let erasing = "\r\u{1B}[K"

    /// The number of columns of the terminal; nil if there is no terminal, so that nothing is shown.
    private let columns: Int?
    private let start: HostTime
    private var next: HostTime
    private var isShown = false

    init(columns: Int?, now: HostTime) {
        self.columns = columns
        start = now
        next = now + Self.delay
    }

    /// Returns the text to write; nil if nothing is due.
    ///
    /// - Parameters:
    ///   - done: The part of the job that is done, from 0 to 1; nil if the whole is unknown.
    ///   - label: The job in a few words. Text from outside must have been escaped.
    mutating func text(done: Double?, label: @autoclosure () -> String, now: HostTime) -> String? {
        guard let columns, now >= next else { return nil }
        next = now + Self.interval
        isShown = true
        return Self.erasing + TerminalText.fitting(Self.line(done: done, label: label(), elapsed: now - start), columns: columns - 1)
    }

    /// Returns the text that erases the line; nil if none is shown.
    mutating func erase() -> String? {
        guard isShown else { return nil }
        isShown = false
        return Self.erasing
    }

    /// Returns the line: `42 %  1:12 left  label`. The time left follows from the time that the part has taken.
    static func line(done: Double?, label: String, elapsed: Double) -> String {
        guard let done, done.isFinite else { return label }
        let part = min(1, max(0, done))
        let percent = "\(Int(part * 100)) %"
        // A small part says little about the whole.
        guard part >= 0.01 else { return "\(percent)  \(label)" }
        return "\(percent)  \(RemoteText.clock((elapsed / part * (1 - part)).rounded(.up))) left  \(label)"
    }
}

/// Writes a `ProgressMeter` to standard error, if that is a terminal. Any thread, one at a time.
final class ProgressLine {
    private var meter: ProgressMeter
    private let clock: any HostClock

    init(clock: any HostClock = MonotonicClock()) {
        self.clock = clock
        meter = ProgressMeter(columns: TerminalText.columns(ofTerminal: STDERR_FILENO), now: clock.now)
    }

    /// Shows the progress if enough time has passed since the last line.
    func show(_ done: Double?, _ label: @autoclosure () -> String) {
        if let text = meter.text(done: done, label: label(), now: clock.now) { Log.writeToStandardError(text) }
    }

    /// Erases the line, so that other text can be written.
    func erase() {
        if let text = meter.erase() { Log.writeToStandardError(text) }
    }
}
