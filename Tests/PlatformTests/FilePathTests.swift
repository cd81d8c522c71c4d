import Platform
import Testing

@Suite struct FilePathTests {
    @Test(
        "the reference of an absolute path names it without loss, as a path if it is UTF-8 without control characters, otherwise as its URL",
        arguments: [
            (Array("/m/é 100%25.flac".utf8), "/m/é 100%25.flac"), (Array("/m/caf".utf8) + [0xE9], "file:///m/caf%E9"),
            ([0x2F, 0x93, 0xFA, 0x25, 0x20], "file:///%93%FA%25%20"), ([0x2F], "/"),
            (Array("/a\tb".utf8), "file:///a%09b"), ([0x2F, 0x7F], "file:///%7F"),
        ] as [([UInt8], String)])
    func reference(_ bytes: [UInt8], _ reference: String) {
        #expect(FilePath(bytes: bytes).reference == reference)
        #expect(FilePath(reference: reference).bytes == bytes)
    }

    @Test("the text of a path has U+FFFD for bytes that are not UTF-8")
    func text() {
        #expect(FilePath(bytes: [0x2F, 0x61, 0xE9]).text == "/a\u{FFFD}" && FilePath(bytes: [0xE9]).exactText == nil)
        #expect(FilePath("/é").exactText == "/é")
    }

    @Test("paths are equal only if their bytes are")
    func equality() {
        #expect(FilePath("/e\u{301}") != FilePath("/\u{E9}") && FilePath("/a") == "/a")
    }

    @Test("the system receives the bytes and a terminating zero")
    func system() {
        #expect(FilePath(bytes: [0x2F, 0xE9]).withCString { [$0[0], $0[1], $0[2]] } == [0x2F, CChar(bitPattern: 0xE9), 0])
    }
}
