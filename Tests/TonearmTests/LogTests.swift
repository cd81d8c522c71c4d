import Foundation
import Synchronization
import Testing

@testable import tonearm

@Suite("The log")
struct LogTests {
    /// The lines that a log has written.
    private final class Lines: Sendable {
        let text = Mutex<[String]>([])
        func log(_ level: Log.Level, _ style: Log.Style) -> Log {
            Log(level: level, style: style, timestamp: { "NOW" }, write: { line in self.text.withLock { $0.append(line) } })
        }
        var all: [String] { text.withLock { $0 } }
    }

    @Test("a plain line has the time, the level, the event and its values")
    func plain() {
        let lines = Lines()
        lines.log(.info, .plain)(.info, "listening", ["address": "127.0.0.1:7711", "output": "PulseAudio on desk"])
        #expect(lines.all == ["NOW info: listening address=127.0.0.1:7711 output=\"PulseAudio on desk\"\n"])
    }

    @Test(
        "a line for journald begins with the level's priority",
        arguments: [(Log.Level.error, "<3>"), (.warning, "<4>"), (.info, "<6>"), (.debug, "<7>")])
    func journal(level: Log.Level, prefix: String) {
        let lines = Lines()
        lines.log(.debug, .journal)(level, "event")
        #expect(lines.all == ["\(prefix)event\n"])
    }

    @Test("events below the configured level are omitted", arguments: Log.Level.allCases)
    func levels(level: Log.Level) {
        let lines = Lines()
        let log = lines.log(level, .journal)
        for each in Log.Level.allCases { log(each, "event") }
        #expect(lines.all.count == Log.Level.allCases.firstIndex(of: level).map { $0 + 1 })
    }

    @Test(
        "no value can end the line, colour the terminal or change the writing direction",
        arguments: [
            ("plain", "plain"), ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""), ("say \"x\"", #""say \"x\"""#),
            (#"a\b"#, #""a\\b""#),
            ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1b}[31m", #"\u{1b}[31m"#), ("\u{0}", #"\u{0}"#), ("\u{7f}\u{9b}", #"\u{7f}\u{9b}"#),
            ("\u{2028}\u{202e}", #"\u{2028}\u{202e}"#), ("Ænima – Größe 音", "\"Ænima – Größe 音\""),
        ])
    func escaping(value: String, expected: String) {
        #expect(Log.quoted(value) == expected)
    }

    @Test("a message with many hostile values is one line")
    func oneLine() {
        let lines = Lines()
        lines.log(.info, .plain)(.warning, "refused", ["path": "/a\n<3>forged", "agent": "x\r\ny"])
        #expect(lines.all.count == 1)
        #expect(lines.all[0].filter { $0.isNewline }.count == 1)
    }

    @Test("an empty value is omitted")
    func emptyValues() {
        let lines = Lines()
        lines.log(.info, .plain)(.info, "loaded", ["codec": "", "seconds": "1.000"])
        #expect(lines.all == ["NOW info: loaded seconds=1.000\n"])
    }

    @Test(
        "seconds are written to the millisecond",
        arguments: [
            (0, "0.000"), (245.3, "245.300"), (1.9996, "2.000"), (0.0014, "0.001"), (-1.5, "-1.500"), (.infinity, "unknown"), (.nan, "unknown"),
        ])
    func seconds(_ seconds: Double, _ text: String) { #expect(Log.seconds(seconds) == text) }

    @Test("the time is written in the format of RFC 3339")
    func wallClock() throws {
        let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        #expect(Log.wallClock().wholeMatch(of: pattern) != nil)
    }

    @Test("priorities are written only to the stream created by systemd")
    func journalStream() {
        #expect(Log.style(environment: [:]) == .plain)
        #expect(Log.style(environment: ["JOURNAL_STREAM": "0:0"]) == .plain)
        #expect(Log.style(environment: ["JOURNAL_STREAM": "garbage"]) == .plain)
    }

    @Test("a JSON document for a terminal has the same content, without characters that control it")
    func json() throws {
        let title = "a\u{9B}31m\u{202E}b\u{2066}c\u{7F}\u{200D}\u{E0001}é🎵"
        let document = "{\"title\":\"\(title)\",\r\n\t\"next\":1}"
        let text = Log.escapedJSON(document)
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) })
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect((read?["title"] as? String).map { Array($0.utf8) } == Array(title.utf8))
        #expect(read?["next"] as? Int == 1)
    }
}
