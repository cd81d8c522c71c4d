import Foundation
import Testing

@testable import tonearm

@Suite("The text of the terminal's remote")
struct RemoteTextTests {
    private func decoded<Document: Decodable>(_ text: String) throws -> Document { try JSONDecoder().decode(Document.self, from: Data(text.utf8)) }

    @Test("the state is shown with its title, position, place in the queue and settings")
    func status() throws {
        let text = RemoteText.status(try decoded(RemoteFixture.state(volume: 0.255, isMuted: true)), time: 61.9)
        let expected = """
            A
              State   playing, 1:01 / 1:40
              Queue   2 of 3, repeat all, shuffled
              Volume  25.5 %, muted
              Output  Speakers
              Change  seek by web

            """
        #expect(text == expected)
    }

    @Test("the state says why nobody can hear the player", arguments: [("noDevice", "The sound server has no output device."), ("new", "new")])
    func silence(reason: String, sentence: String) throws {
        let state = RemoteFixture.state().replacingOccurrences(
            of: "\"sleepTimer\"", with: "\"audioSession\":{\"silence\":\"\(reason)\"},\"sleepTimer\"")
        #expect(RemoteText.status(try decoded(state), time: 0).contains("  Silent  \(sentence)\n"))
    }

    @Test("an empty player is shown as such")
    func empty() throws {
        #expect(RemoteText.line(try decoded(RemoteFixture.empty), time: 0) == "nothing is loaded  (none by player)")
        #expect(RemoteText.queue(RemoteQueue(revision: 0, count: 0, currentId: nil, entries: [])) == "the queue is empty\n")
    }

    @Test("the queue has numbers from 1, a mark at the current entry, and the failures of entries")
    func queue() throws {
        let expected = """
              1  one.flac
            > 2  Two – Someone  1:01
              3  gone  (failed: No\\nfile)

            """
        #expect(RemoteText.queue(try decoded(RemoteFixture.queue)) == expected)
    }

    @Test("the chosen output is marked")
    func outputs() throws {
        #expect(RemoteText.outputs(try decoded(RemoteFixture.outputs)) == "> auto     Automatic\n  pulse:x  Speakers\n")
    }

    @Test(
        "times have hours if they need them", arguments: [(0.9, "0:00"), (59.99, "0:59"), (3600, "1:00:00"), (-5, "-0:05"), (.infinity, "unknown")])
    func clock(seconds: Double, text: String) { #expect(RemoteText.clock(seconds) == text) }

    @Test("text is cut to columns: wide characters have two, combining ones none")
    func columns() {
        #expect(TerminalText.fitting("abc", columns: 3) == "abc")
        #expect(TerminalText.fitting("abcd", columns: 3) == "ab…")
        #expect(TerminalText.fitting("漢字漢", columns: 5) == "漢字…")
        #expect(TerminalText.fitting("漢字漢", columns: 4) == "漢…")
        #expect(TerminalText.fitting("e\u{301}e\u{301}", columns: 2) == "e\u{301}e\u{301}")
        #expect(TerminalText.fitting("abc", columns: 0) == "")
        #expect(TerminalText.padded("漢", 4) == "漢  ")
    }
}
