import Platform
import Testing

@testable import tonearm

@Suite("FILE and URL arguments")
struct MediaArgumentTests {
    @Test(
        "a path is a file, and a relative one is resolved against the working directory",
        arguments: [
            ("/music/a.flac", "/music/a.flac"), ("a.flac", "/home/me/a.flac"), ("../a b.flac", "/home/me/../a b.flac"),
            ("a:b.flac", "/home/me/a:b.flac"),
            ("file:///music/a%20b.flac", "/music/a b.flac"), ("FILE:///a", "/a"), ("Live 1/2://x", "/home/me/Live 1/2://x"),
            ("://x", "/home/me/://x"),
        ])
    func files(text: String, path: String) {
        #expect(MediaArgument(text, relativeTo: "/home/me") == .file(FilePath(path)))
    }

    @Test("a file URL whose path is not UTF-8 is the file with these bytes")
    func bytes() {
        #expect(
            MediaArgument("file:///m/caf%E9.flac", relativeTo: "/") == .file(FilePath(bytes: Array("/m/caf".utf8) + [0xE9] + Array(".flac".utf8))))
        #expect(MediaArgument("FILE:///%93%FA", relativeTo: "/").request == "file:///%93%FA")
    }

    @Test("a word with another scheme is an unchanged URL", arguments: ["http://example.org/a b", "HTTPS://example.org/", "gopher://x"])
    func remotes(text: String) {
        #expect(MediaArgument(text, relativeTo: "/home/me") == .remote(url: text))
        #expect(MediaArgument(text, relativeTo: "/").request == text)
    }

    @Test("a path relative to the root directory has no second slash")
    func root() {
        #expect(MediaArgument("a", relativeTo: "/").request == "/a")
    }
}
