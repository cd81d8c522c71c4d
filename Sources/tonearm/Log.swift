import Glibc
import Platform

/// Tells what happens: one line for each event on standard error. Callable from any thread.
struct Log: Sendable {
    /// From the gravest down.
    enum Level: String, Sendable, Hashable, Comparable, CaseIterable {
        case error, warning, info, debug

        /// The priority that journald and syslog know (sd-daemon(3)).
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

    /// How a line begins.
    enum Style: Sendable, Hashable {
        /// `<6>`: journald takes the priority off and adds the time itself.
        case journal
        /// The time and the level in words.
        case plain
    }

    /// Events less grave than this are left out.
    let level: Level
    let style: Style
    /// Takes whole lines, each with its newline.
    let write: @Sendable (String) -> Void
    /// The wall clock, as text.
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

    /// Says `message`, a constant sentence, with what varies as named values. Values may come from anywhere: they cannot break the line. What is
    /// empty is left out.
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

    /// A value as it stands in a line: bare where that is clear, else in quotes, with everything escaped that a terminal or a reader of lines would obey.
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

    /// A text of its own: as it is, but for what a terminal or a reader of lines would obey.
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
            if obeyed(scalar) { text += "\\u{\(String(scalar.value, radix: 16))}" } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// Control characters, line separators, and the marks that turn the direction of writing (which can make a line read as another).
    private static func obeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension Log {
    /// Journal where standard error is the stream that systemd made for this service (systemd.exec(5), JOURNAL_STREAM), else plain.
    static func style(environment: [String: String]) -> Style {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return .plain }
        return stream == "\(status.st_dev):\(status.st_ino)" ? .journal : .plain
    }

    /// Whether what is written stays where others may read it: a journal, a regular file.
    static func isKept(environment: [String: String]) -> Bool {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return style(environment: environment) == .journal || status.st_mode & S_IFMT == S_IFREG
    }

    /// One `write` for a line, so that lines of several threads do not mix. A reader that is gone or slow loses lines and delays nobody for ever.
    @Sendable static func writeToStandardError(_ line: String) { _ = write(line, to: STDERR_FILENO) }

    /// Writes a text whole, without a buffer; false, with `errno`, where that cannot be done.
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

    /// The present time in UTC, in the form of RFC 3339, with milliseconds.
    @Sendable static func wallClock() -> String { RFC3339.text(SystemWallClock().secondsSince1970) }

    /// Seconds to the millisecond.
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
