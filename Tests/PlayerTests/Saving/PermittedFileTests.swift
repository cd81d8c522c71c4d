import PlaybackEngine
import Testing

@testable import Player

@Suite("PermittedFile") struct PermittedFileTests {
    private func entry(_ id: String, _ path: String) -> PlaylistEntry {
        PlaylistEntry(id: id, spec: EntrySpec(source: MediaSource(.file(path: path)), url: "file://" + path))
    }

    @Test("only the files that a playlist contains stay permitted, by the path that is opened, byte by byte")
    func contained() {
        let files = ["/a", "/link:/b", "/c", "/e\u{301}"].map { text in
            let parts = text.split(separator: ":").map(String.init)
            return PermittedFile(given: parts[0], real: parts.last ?? "")
        }
        var playlist = SavedPlaylist()
        playlist.entries = [entry("e1", "/b"), entry("e2", "/c"), entry("e3", "/link"), entry("e4", "/é")]
        playlist.entries.append(
            PlaylistEntry(id: "e5", spec: EntrySpec(source: MediaSource(.remote(url: "/a")), url: "/a")))
        #expect(PermittedFile.of(playlist, among: files).map(\.real) == ["/b", "/c"])
        #expect(PermittedFile.of(SavedPlaylist(), among: files).isEmpty)
    }
}
