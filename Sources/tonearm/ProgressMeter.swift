import Glibc
import Platform

/// The line on a terminal that shows the progress of a long job: the part that is done, and the time left. A `ProgressMeter` is a value; its owner
/// writes the text.
struct ProgressMeter {
    /// The minimum time between two updates of the line, in seconds.
    static let interval = 0.25
    /// The time before the progress is first shown, in seconds, so that a short job shows no line.
    static let delay = 0.5
    /// The text that erases the line of the terminal, and moves the cursor to its beginning.
    private static let erasing = "\r\u{1B}[K"

    /// The number of columns of the terminal; nil if the output is not a terminal, so that no progress is shown.
    private let columns: Int?
    private let start: HostTime
    private var next: HostTime
    private var isShown = false

    init(columns: Int?, now: HostTime) {
        self.columns = columns
        start = now
        next = now + Self.delay
    }

    /// Returns the text to write for the present progress; nil if no text has to be written now.
    ///
    /// - Parameters:
    ///   - done: The part of the job that is done, from 0 to 1; nil if the size of the whole job is unknown.
    ///   - label: The job in a few words. Text from outside the program must have been escaped.
    mutating func text(done: Double?, label: @autoclosure () -> String, now: HostTime) -> String? {
        guard let columns, now >= next else { return nil }
        next = now + Self.interval
        isShown = true
        return Self.erasing + TerminalText.fitting(Self.line(done: done, label: label(), elapsed: now - start), columns: columns - 1)
    }

    /// Returns the text that erases the line of progress; nil if no line is shown.
    mutating func erase() -> String? {
        guard isShown else { return nil }
        isShown = false
        return Self.erasing
    }

    /// Returns the line of progress, such as `42 %  1:12 left  label`. The time left is estimated from the time that the finished part has taken.
    static func line(done: Double?, label: String, elapsed: Double) -> String {
        guard let done, done.isFinite else { return label }
        let part = min(1, max(0, done))
        let percent = "\(Int(part * 100)) %"
        // Less than a hundredth of the job does not suffice to estimate the time of the whole job.
        guard part >= 0.01 else { return "\(percent)  \(label)" }
        return "\(percent)  \(RemoteText.clock((elapsed / part * (1 - part)).rounded(.up))) left  \(label)"
    }
}

/// Writes the progress of a job to standard error, if standard error is a terminal. Any thread may use a `ProgressLine`, but only one thread at a
/// time.
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

    /// Erases the line of progress, so that other text can be written.
    func erase() {
        if let text = meter.erase() { Log.writeToStandardError(text) }
    }
}
