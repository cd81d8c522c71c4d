import Platform
import Testing

@testable import tonearm

struct ArgumentTextTests {
    @Test("a medium or media root that is not UTF-8 becomes a URL, and any other argument a text")
    func texts() {
        let name: [UInt8] = [0x63, 0xE9]
        let arguments = [
            Array("serve".utf8), name, [0x2F] + name, Array("--media-root".utf8), name, Array("--name".utf8), name, Array("é".utf8),
        ]
        #expect(
            ArgumentText.texts(arguments, directory: Array("/m".utf8)) == [
                "serve", "file:///m/c%E9", "file:///c%E9", "--media-root", "file:///m/c%E9", "--name", "c\u{FFFD}", "é",
            ])
    }

    @Test("a URL names a file whose name is not UTF-8, in a request and as a media root")
    func url() {
        let argument = MediaArgument("file:///m/c%E9", relativeTo: "/x")
        #expect(argument == .file(FilePath(bytes: [0x2F, 0x6D, 0x2F, 0x63, 0xE9])))
        #expect(argument.request == "file:///m/c%E9")
        #expect(MediaArgument.reference("file:///m/c%E9", relativeTo: "/x") == "file:///m/c%E9")
        #expect(MediaArgument.reference("c", relativeTo: "/x") == "/x/c")
    }
}
