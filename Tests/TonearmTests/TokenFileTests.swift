import Foundation
import RemoteControl
import Testing

@testable import tonearm

@Suite("The token file")
struct TokenFileTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "tonearm-token-\(UUID().uuidString)").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let folder: Folder
    private var path: String { folder.path + "/a/b/token" }
    init() throws { folder = try Folder() }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    private func write(_ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/a/b", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    private func complaint() -> String? {
        do {
            _ = try TokenFile(path: path).token()
            return nil
        } catch { return "\(error)" }
    }

    @Test("the file is created at the first start, readable only by its owner, and read at the next")
    func made() throws {
        let first = try TokenFile(path: path).token()
        #expect(try mode(path) == 0o600)
        #expect(try mode(folder.path + "/a") == 0o700)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == first.text + "\n")
        #expect(try TokenFile(path: path).token().text == first.text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/a/b") == ["token"])
    }

    @Test("another path has another token")
    func different() throws {
        #expect(try TokenFile(path: path).token().text != TokenFile(path: folder.path + "/token").token().text)
    }

    @Test("several programs that start at the same time share one token")
    func race() async throws {
        let path = folder.path + "/race/token"
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { try? TokenFile(path: path).token().text } }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(try tokens.first == String(contentsOfFile: path, encoding: .utf8).dropLast().description)
    }

    @Test("a token written by hand is accepted, without surrounding white space")
    func byHand() throws {
        try write("\n  my-own-token-of-the-house \r\n")
        #expect(try TokenFile(path: path).token().text == "my-own-token-of-the-house")
    }

    @Test("a file that others can read is refused", arguments: [0o644, 0o640, 0o604, 0o660, 0o602])
    func permissions(_ mode: Int) throws {
        try write("my-own-token-of-the-house", mode: mode)
        #expect(complaint()?.contains("chmod 600") == true)
    }

    @Test(
        "a file without a valid token is refused and unchanged",
        arguments: ["", "short", "two words are no token", String(repeating: "a", count: 600), "ünsinn-ünsinn-ünsinn"])
    func malformed(_ text: String) throws {
        try write(text)
        #expect(complaint()?.contains("contains no token") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("a path that is not a regular file is refused")
    func noFile() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(complaint()?.contains("cannot be used") == true)
        #expect(throws: Unusable.self) { try TokenFile(path: "/proc/self/nothing/token").token() }
        #expect(throws: Unusable.self) { try TokenFile(path: "/dev/null").token() }
    }

    @Test("the file is in the state directory (XDG Base Directory Specification), or in the one set by systemd")
    func places() throws {
        #expect(try TokenFile.standardPath(environment: ["HOME": "/h"]) == "/h/.local/state/tonearm/token")
        #expect(try TokenFile.standardPath(environment: ["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/tonearm/token")
        #expect(try TokenFile.standardPath(environment: ["HOME": "/h", "XDG_STATE_HOME": "relative"]) == "/h/.local/state/tonearm/token")
        #expect(try TokenFile.standardPath(environment: ["STATE_DIRECTORY": "/var/lib/tonearm:/x", "HOME": "/h"]) == "/var/lib/tonearm/token")
        #expect(throws: Unusable.self) { try TokenFile.standardPath(environment: [:]) }
    }
}
