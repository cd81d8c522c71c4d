import PlaybackEngine
import Testing

@testable import Player

/// Which present entries a new queue keeps: those that it contains again.
@Suite struct KeptEntriesTests {
    private func spec(_ path: String, id: String? = nil) -> EntrySpec {
        EntrySpec(id: id, source: MediaSource(.file(path: path)), url: "file://" + path)
    }
    /// Entries e1, e2, … with these paths.
    private func entries(_ paths: String...) -> [PlaylistEntry] {
        paths.enumerated().map { PlaylistEntry(id: "e\($0 + 1)", spec: spec($1)) }
    }

    @Test("entries of the same location are kept in order, each once; others are new")
    func locations() {
        let kept = KeptEntries.indices(of: [spec("/b"), spec("/a"), spec("/a"), spec("/a"), spec("/c")], in: entries("/a", "/b", "/a"), current: nil)
        #expect(kept == [1, 0, 2, nil, nil])
    }

    @Test("an id keeps its entry before others of the same location, once, and only with the location of the entry")
    func ids() {
        let all = entries("/a", "/a", "/b")
        #expect(KeptEntries.indices(of: [spec("/a"), spec("/a", id: "e1")], in: all, current: nil) == [1, 0])
        #expect(KeptEntries.indices(of: [spec("/b", id: "e3"), spec("/b", id: "e3")], in: all, current: nil) == [2, nil])
        #expect(KeptEntries.indices(of: [spec("/x", id: "e3"), spec("/x", id: "e9")], in: all, current: nil) == [nil, nil])
    }

    @Test("if the current entry has the location of fewer specifications than entries, one of them keeps the current entry", arguments: [0, 1, 2])
    func current(_ current: Int) {
        #expect(KeptEntries.indices(of: [spec("/b"), spec("/a")], in: entries("/a", "/a", "/a", "/b"), current: current) == [3, current])
        // The order of the kept entries does not change.
        let two = KeptEntries.indices(of: [spec("/a"), spec("/a")], in: entries("/a", "/a", "/a"), current: current)
        #expect(two == (current == 2 ? [0, 2] : [0, 1]))
    }

    @Test("locations with the same text in another Unicode form are different media")
    func bytes() {
        #expect(KeptEntries.indices(of: [spec("/e\u{301}")], in: entries("/\u{e9}"), current: 0) == [nil])
    }
}
