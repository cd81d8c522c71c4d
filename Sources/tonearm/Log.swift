import Glibc
import Platform

/// Writes one line of the program's log for each event to standard error. Any thread may use a `Log`.
struct Log: Sendable {
    /// The severity of a log line; the cases are in order, the highest severity first.
    enum Level: String, Sendable, Hashable, Comparable, CaseIterable {
        case error, warning, info, debug

        /// The number of the severity for journald and syslog (sd-daemon(3)).
        var priority: Int {
            switch self {
            case .error: 3
            case .warning: 4
            case .info: 6
            case .debug: 7
            }
        }
        static func < (a: Level, b: Level) -> Bool { a.priority < b.priority }
    }

    /// The style of log lines, which determines the text at the beginning of each line.
    enum Style: Sendable, Hashable {
        /// A log line begins with its severity as a number (`<6>`). journald removes this number and adds the time itself.
        case journal
        /// A log line begins with the time, and the severity as a word.
        case plain
    }

    /// The lowest severity of the lines that are logged.
    let level: Level
    let style: Style
    /// The function that writes a whole log line, including its newline.
    let write: @Sendable (String) -> Void
    /// The function that returns the present date and time as text for a log line.
    let timestamp: @Sendable () -> String

    init(
        level: Level, style: Style, timestamp: @escaping @Sendable () -> String = Log.wallClock,
        write: @escaping @Sendable (String) -> Void = Log.writeToStandardError
    ) {
        self.level = level
        self.style = style
        self.timestamp = timestamp
        self.write = write
    }

    /// Writes a log line about an event.
    ///
    /// - Parameters:
    ///   - message: The constant part of the log line's text.
    ///   - values: Named values of the log line, which may contain any text, because characters that could break the line are escaped. Empty values
    ///     are omitted from the log line.
    func callAsFunction(_ level: Level, _ message: StaticString, _ values: KeyValuePairs<StaticString, String> = [:]) {
        guard level <= self.level else { return }
        var line =
            switch style {
            case .journal: "<\(level.priority)>"
            case .plain: "\(timestamp()) \(level.rawValue): "
            }
        line += "\(message)"
        for (name, value) in values where !value.isEmpty { line += " \(name)=\(Self.quoted(value))" }
        write(line + "\n")
    }

    /// Returns a value as it is written into a log line, in quotes if necessary. In the value, characters that could control a terminal or break the
    /// log line are escaped.
    static func quoted(_ value: String) -> String {
        var text = ""
        var needsQuotes = value.isEmpty
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                text += "\\"
                text.unicodeScalars.append(scalar)
                needsQuotes = true
            default:
                append(scalar, to: &text)
                if scalar == " " || scalar == "=" { needsQuotes = true }
            }
        }
        return needsQuotes ? "\"\(text)\"" : text
    }

    /// Returns a text as it is written into a log line, without adding quotes. In the text, characters that could control a terminal or break the log
    /// line are escaped.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars { append(scalar, to: &text) }
        return text
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar {
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        default:
            if isControl(scalar) { text += "\\u{\(String(scalar.value, radix: 16))}" } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// Whether a character is a control character, a line separator, or a mark that changes the writing direction and so could disguise the content
    /// of a log line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Log {
    /// Returns the style `journal` if standard error is the stream that systemd created for this service (systemd.exec(5), JOURNAL_STREAM), otherwise
    /// `plain`.
    static func style(environment: [String: String]) -> Style {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return .plain }
        return stream == "\(status.st_dev):\(status.st_ino)" ? .journal : .plain
    }

    /// Whether the program's log is stored, in a journal or a regular file, so that other users may read it.
    static func isKept(environment: [String: String]) -> Bool {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return style(environment: environment) == .journal || status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes a log line by one call of the system's `write`, so that lines of several threads do not mix. The log line is lost if the reader has
    /// closed its end, or if the pipe is non-blocking and full.
    @Sendable static func writeToStandardError(_ line: String) { _ = write(line, to: STDERR_FILENO) }

    /// Writes a whole text to a file descriptor without buffering the text. If the system's `write` fails, `errno` contains the error, and the result
    /// is false.
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(descriptor, start, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }

    /// Returns the present time in UTC, in the format of RFC 3339 with milliseconds.
    @Sendable static func wallClock() -> String { RFC3339.text(SystemWallClock().secondsSince1970) }

    /// Returns a number of seconds as text with three decimals for the log.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "unknown" }
        let milliseconds = Int((abs(seconds) * 1000).rounded())
        return "\(seconds < 0 ? "-" : "")\(milliseconds / 1000).\(digits(milliseconds % 1000, 3))"
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
