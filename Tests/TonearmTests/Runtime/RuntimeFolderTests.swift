import Foundation
import Testing

@testable import tonearm

@Suite("The runtime files by which clients find a daemon")
struct RuntimeFolderTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "tonearm-runtime-\(UUID().uuidString)").path
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let temporary = Folder()
    private var folder: RuntimeFolder { RuntimeFolder(path: temporary.path + "/a/tonearm") }
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    private func record(_ port: Int, started: Double = 1, tokenFile: String? = nil) -> RuntimeRecord {
        RuntimeRecord(process: 12, address: "127.0.0.1:\(port)", tokenFile: tokenFile, started: started)
    }
    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    /// Writes a runtime file as a daemon does, but without the lock that a running daemon holds on it.
    private func leave(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/" + name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + "/" + name)
    }
    /// Takes the lock on a runtime file, as a running daemon does. Returns the descriptor that holds the lock.
    private func lock(_ name: String) -> Int32 {
        let descriptor = open(folder.path + "/" + name, O_RDONLY | O_CLOEXEC)
        flock(descriptor, LOCK_EX | LOCK_NB)
        return descriptor
    }

    @Test("the file of a running daemon is private, and gives its address and the path of its token")
    func written() throws {
        let file = try folder.write(record(7711, tokenFile: "/state/to\nken"))
        #expect(folder.records() == [record(7711, tokenFile: "/state/to\nken")])
        #expect(try mode(file.path) == 0o600)
        #expect(try mode(folder.path) == 0o700)
        #expect(names.count == 1)
        file.remove()
        #expect(names.isEmpty)
    }

    @Test("of several daemons the one that started last is first")
    func several() throws {
        let files = try [(1, 20.0), (2, 30.0), (3, 10.0)].map { try folder.write(record($0.0, started: $0.1)) }
        #expect(folder.records().map(\.address) == ["127.0.0.1:2", "127.0.0.1:1", "127.0.0.1:3"])
        for file in files { file.remove() }
    }

    @Test("the file of a daemon that was killed is ignored, and removed by the next daemon")
    func stale() throws {
        try leave("old.json", record(1).json)
        #expect(folder.records().isEmpty)
        let file = try folder.write(record(2))
        #expect(names == [String(file.path.split(separator: "/").last ?? "")])
        file.remove()
    }

    @Test("a file that other users can read or write is ignored", arguments: [0o604, 0o640, 0o620, 0o666])
    func shared(mode: Int) throws {
        try leave("x.json", record(1).json, mode: mode)
        let descriptor = lock("x.json")
        #expect(folder.records().isEmpty)
        close(descriptor)
    }

    @Test("a private locked file is read, and a malformed or too large one is ignored")
    func malformed() throws {
        let valid = record(1).json
        let contents = [
            "{", "", "[]", "{\"process\":1}", valid.replacing("127.0.0.1:1", with: "a b"),
            String(repeating: " ", count: RuntimeRecord.maximumSize) + valid,
        ]
        for (index, text) in contents.enumerated() { try leave("\(index).json", text) }
        try leave("valid.json", valid)
        try leave("other.txt", valid)
        let locks = names.map(lock)
        #expect(folder.records() == [record(1)])
        for descriptor in locks { close(descriptor) }
    }

    @Test("a link is not followed")
    func links() throws {
        try leave("real.txt", record(1).json)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.json", withDestinationPath: "real.txt")
        let descriptor = lock("real.txt")
        #expect(folder.records().isEmpty)
        close(descriptor)
    }

    @Test("a daemon writes into systemd's folder, the user's runtime folder, or the folder for state, in this order")
    func places() {
        var environment = ["HOME": "/home/u"]
        #expect(RuntimeFolder.ofDaemon(environment: environment)?.path == "/home/u/.local/state/tonearm/run")
        environment["XDG_STATE_HOME"] = "/state"
        #expect(RuntimeFolder.ofDaemon(environment: environment)?.path == "/state/tonearm/run")
        environment["XDG_RUNTIME_DIR"] = "/run/user/1"
        #expect(RuntimeFolder.ofDaemon(environment: environment)?.path == "/run/user/1/tonearm")
        environment["RUNTIME_DIRECTORY"] = "/run/tonearm:/run/more"
        #expect(RuntimeFolder.ofDaemon(environment: environment)?.path == "/run/tonearm")
        #expect(RuntimeFolder.ofDaemon(environment: ["XDG_RUNTIME_DIR": "relative"]) == nil)
    }

    @Test("a client searches each folder of a daemon once")
    func searched() {
        let environment = ["HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/7"]
        #expect(
            RuntimeFolder.ofClient(environment: environment, user: 7).map(\.path)
                == ["/run/user/7/tonearm", "/home/u/.local/state/tonearm/run", "/run/tonearm"])
    }
}
