import Platform
import PlaybackEngine
import Testing

@testable import Player

@Suite("Absent entries") struct AbsentEntriesTests {
    private let error = PlaybackError(.fileNotFound, "There is no such file.")
    private let later = PlaybackError(.fileNotFound, "There is no such file yet.")

    @Test("a file that is away is waited for, once for all entries of its folder, and opened when it is there")
    func away() {
        var entries = AbsentEntries()
        #expect(entries.failed("e1", with: error, at: 0) == [.look("e1")])
        #expect(entries.found(.away(nearest: "/mnt"), of: "e1", isCurrent: true) == [.wait("/mnt")])
        #expect(entries.failed("e2", with: error, at: 0) == [.look("e2")])
        #expect(entries.found(.away(nearest: "/mnt"), of: "e2", isCurrent: false) == [])
        #expect(entries.isAway("e1") && entries.isAway("e2"))
        #expect(entries.changed("/mnt") == [.look("e1"), .look("e2")])
        #expect(entries.found(.away(nearest: "/mnt"), of: "e1", isCurrent: true) == [.wait("/mnt")])
        #expect(entries.found(.present, of: "e2", isCurrent: false) == [.retry("e2")])
        #expect(entries.changed("/mnt") == [.look("e1")])
        #expect(entries.found(.present, of: "e1", isCurrent: true) == [.retry("e1")])
        #expect(!entries.isAway("e1") && !entries.isAway("e2"))
    }

    @Test("an entry is away while the look for its file takes long")
    func slow() {
        var entries = AbsentEntries()
        entries.lookIsSlow("e1")
        #expect(!entries.isAway("e1"))
        _ = entries.failed("e1", with: error, at: 0)
        #expect(!entries.isAway("e1"))
        entries.lookIsSlow("e1")
        #expect(entries.isAway("e1") && entries.lookAgain() == [])
        #expect(entries.found(.missing, of: "e1", isCurrent: false) == [])
        #expect(!entries.isAway("e1"))
    }

    @Test("a missing file fails when the turn of its entry has come, and not before")
    func missing() {
        var entries = AbsentEntries()
        _ = entries.failed("e1", with: error, at: 0)
        #expect(entries.found(.missing, of: "e1", isCurrent: false) == [])
        #expect(entries.failed("e1", with: later, at: 0) == [.look("e1")])
        #expect(entries.found(.missing, of: "e1", isCurrent: true) == [.fail("e1", later)])
        #expect(entries.found(.missing, of: "e1", isCurrent: true) == [])
    }

    @Test("a file that is there and cannot be opened fails after two retries, which an absence begins anew")
    func unreadable() {
        var entries = AbsentEntries()
        func open() -> [AbsentEntries.Effect] {
            _ = entries.failed("e1", with: error, at: 0)
            return entries.found(.present, of: "e1", isCurrent: true)
        }
        #expect(open() == [.retry("e1")] && open() == [.retry("e1")])
        _ = entries.failed("e1", with: error, at: 0)
        #expect(entries.found(.away(nearest: "/"), of: "e1", isCurrent: true) == [.wait("/")])
        #expect(open() == [.retry("e1")] && open() == [.retry("e1")] && open() == [.fail("e1", error)])
    }

    @Test("a file that fails again after a second of its audio has two retries again, and one that fails at the same place has not")
    func progress() {
        var entries = AbsentEntries()
        func open(at position: Double) -> [AbsentEntries.Effect] {
            _ = entries.failed("e1", with: error, at: position)
            return entries.found(.present, of: "e1", isCurrent: true)
        }
        for position in [0.0, 0, 3_600, 3_600, 3_601, 3_601, 7_200] { #expect(open(at: position) == [.retry("e1")]) }
        #expect(open(at: 7_200.5) == [.retry("e1")] && open(at: 7_200.9) == [.fail("e1", error)])
    }

    @Test("an entry that was opened or left is not looked for")
    func forgotten() {
        var entries = AbsentEntries()
        _ = entries.failed("e1", with: error, at: 0)
        _ = entries.found(.away(nearest: "/mnt"), of: "e1", isCurrent: true)
        #expect(entries.lookAgain() == [.look("e1")])
        entries.forget("e1")
        #expect(entries.lookAgain() == [] && entries.changed("/mnt") == [])
        #expect(entries.found(.present, of: "e1", isCurrent: true) == [])
    }

    @Test(
        "an error of the system may be an absence, and what is wrong with the file or its permission is none",
        arguments: [
            (PlaybackError(.fileNotFound, ""), true), (PlaybackError(.unknown, "", underlying: .init(domain: "POSIX", code: 5, message: "")), true),
            (PlaybackError(.permissionDenied, "", underlying: .init(domain: "POSIX", code: 13, message: "")), false),
            (PlaybackError(.permissionDenied, ""), false), (PlaybackError(.corruptMedia, ""), false), (PlaybackError(.unsupportedFormat, ""), false),
            (PlaybackError(.unknown, "", underlying: .init(domain: "FFmpeg", code: -1, message: "")), false),
        ])
    func errors(error: PlaybackError, expected: Bool) { #expect(error.mayBeAbsence == expected) }
}
