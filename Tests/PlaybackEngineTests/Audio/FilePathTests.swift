import Foundation
import PlaybackEngine
import Testing

@Suite("Paths of files as bytes")
struct FilePathTests {
    @Test("a path that is not UTF-8 has a text for users, and a URL with its bytes")
    func bytes() {
        let path = FilePath(bytes: [0x2F, 0xE9, 0x20])
        #expect(path.text == "/\u{FFFD} " && path.exactText == nil && path.url == "file:///%E9%20")
        #expect(FilePath("/é").exactText == "/é" && FilePath("/é").url == "file:///%C3%A9")
    }

    @Test("composed and decomposed letters are different paths")
    func comparison() {
        #expect(FilePath("/\u{E9}") != FilePath("/e\u{301}"))
    }

    @Test("the system gets a path with its bytes, and an empty one in place of a path with a NUL")
    func system() {
        func length(_ bytes: [UInt8]) -> Int { FilePath(bytes: bytes).withCString { strlen($0) } }
        #expect(length([0x2F, 0xE9]) == 2)
        #expect(length([0x2F, 0, 0x61]) == 0)
    }
}
