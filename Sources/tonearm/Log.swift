import Glibc
import Platform

/// A log on standard error, with one line for each event. Any thread may use it.
struct Log: Sendable {
    /// The severity of an event, the highest first.
    enum Level: String, Sendable, Hashable, Comparable, CaseIterable {
        case error, warning, info, debug

        /// The severity as a number for journald and syslog (sd-daemon(3)).
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

    /// The beginning of a line.
    enum Style: Sendable, Hashable {
        /// The severity as a number (`<6>`); journald removes it, and adds the time.
        case journal
        /// The time, and the severity as a word.
        case plain
    }

    /// The lowest severity that is logged.
    let level: Level
    let style: Style
    /// Writes a whole line with its newline.
    let write: @Sendable (String) -> Void
    /// The present date and time.
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

    /// - Parameter values: Named texts for the line. Characters that could break the line are escaped. Empty texts are omitted.
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

    /// The value `escaped`, and in quotes if necessary.
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

    /// The text, in which characters that could control a terminal or break the line are escaped.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars { append(scalar, to: &text) }
        return text
    }

    /// The same JSON document without characters that could control a terminal.
    static func escapedJSON(_ document: String) -> String {
        var text = ""
        for scalar in document.unicodeScalars {
            switch scalar {
            case "\n": text += "\n"
            // In a document, these characters occur only between values; in a string they are escaped already.
            case "\r", "\t": text += " "
            case _ where isControl(scalar):
                for unit in String(scalar).utf16 {
                    text += "\\u" + digits(Int(unit), 4, radix: 16)
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
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

    /// Whether a character is a control character, a line separator, or a change of the writing direction, which could disguise a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Log {
    /// The style of the log: `journal` if standard error is the stream that systemd's JOURNAL_STREAM names (systemd.exec(5)), otherwise `plain`.
    static func style(environment: [String: String]) -> Style {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return .plain }
        return stream == "\(status.st_dev):\(status.st_ino)" ? .journal : .plain
    }

    /// Whether the log is in a journal or a regular file, so that other users may read it.
    static func isKept(environment: [String: String]) -> Bool {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return style(environment: environment) == .journal || status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes a line by one call of `write`, so that lines of several threads do not mix. The line is lost if the reader of the pipe has closed its
    /// end, or if the pipe is full and non-blocking.
    @Sendable static func writeToStandardError(_ line: String) { _ = write(line, to: STDERR_FILENO) }

    /// Writes a text without a buffer. Returns false, with `errno`, if `write` fails.
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

    /// The present time in UTC, in the format of RFC 3339 with milliseconds.
    @Sendable static func wallClock() -> String { RFC3339.text(SystemWallClock().secondsSince1970) }

    /// A number of seconds with three decimals.
    static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "unknown" }
        let milliseconds = Int((abs(seconds) * 1000).rounded())
        return "\(seconds < 0 ? "-" : "")\(milliseconds / 1000).\(digits(milliseconds % 1000, 3))"
    }

    /// The digits of a number, with zeros before them up to `width` digits.
    static func digits(_ number: Int, _ width: Int, radix: Int = 10) -> String {
        let text = String(number, radix: radix)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
