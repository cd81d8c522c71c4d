import Testing

@testable import tonearm

@Suite("A FILE or URL of the command line")
struct MediaArgumentTests {
    @Test(
        "a path is a file, a relative one from where the program was started",
        arguments: [
            ("/music/a.flac", "/music/a.flac"), ("a.flac", "/home/me/a.flac"), ("../a b.flac", "/home/me/../a b.flac"),
            ("a:b.flac", "/home/me/a:b.flac"),
            ("file:///music/a%20b.flac", "/music/a b.flac"), ("FILE:///a", "/a"), ("Live 1/2://x", "/home/me/Live 1/2://x"),
            ("://x", "/home/me/://x"),
        ])
    func files(text: String, path: String) {
        #expect(MediaArgument(text, relativeTo: "/home/me") == .file(path: path))
    }

    @Test("a word with another scheme stays the URL that it is", arguments: ["http://example.org/a b", "HTTPS://example.org/", "gopher://x"])
    func remotes(text: String) {
        #expect(MediaArgument(text, relativeTo: "/home/me") == .remote(url: text))
        #expect(MediaArgument(text, relativeTo: "/").request == text)
    }

    @Test("the root as a directory gets no second slash")
    func root() {
        #expect(MediaArgument("a", relativeTo: "/").request == "/a")
    }
}
