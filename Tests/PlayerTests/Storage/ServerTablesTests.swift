import PlaybackTesting
import Testing

@testable import Player

@Suite("The tables of the server") struct ServerTablesTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func stored() throws -> SavedServer { try OpenTables(directory).tables.server.read() }

    /// Writes a change through a new connection to the database.
    private func write(_ changes: ServerChange...) throws {
        let open = try OpenTables(directory)
        _ = try open.tables.server.read()
        for change in changes { try open.tables.write(PlayerChange(server: change)) }
    }

    @Test("the player's id and the permitted files are read as they were written")
    func roundTrip() throws {
        try write(
            ServerChange(playerID: "5f0c9a1be37d", permittedFiles: [PermittedFile(given: "/a", real: "/b"), PermittedFile(given: "/c", real: "/c")]))
        let server = try stored()
        #expect(server.playerID == "5f0c9a1be37d")
        #expect(server.permittedFiles.map(\.given) == ["/a", "/c"] && server.permittedFiles.map(\.real) == ["/b", "/c"])
    }

    @Test("a write replaces what it contains, and nothing else")
    func replaced() throws {
        try write(
            ServerChange(playerID: "1", permittedFiles: [PermittedFile(given: "/a", real: "/a")]),
            ServerChange(playerID: "2"))
        #expect(try stored().playerID == "2" && stored().permittedFiles.map(\.given) == ["/a"])
        try write(ServerChange(permittedFiles: []))
        #expect(try stored().playerID == "2" && stored().permittedFiles.isEmpty)
    }

    @Test("an id or a path that is too long is ignored")
    func malformed() throws {
        let open = try OpenTables(directory)
        try open.database.run("INSERT INTO identity VALUES (1, '\(String(repeating: "a", count: 65))')")
        try open.database.run("INSERT INTO permittedFile VALUES ('\(String(repeating: "a", count: 9000))', '/b')")
        let server = try open.tables.server.read()
        #expect(server.playerID == nil && server.permittedFiles.isEmpty)
    }

    @Test("permitted files beyond 10,000 or 16 MiB of text are not read")
    func fileLimits() throws {
        let long = String(repeating: "a", count: 4000)
        try write(ServerChange(permittedFiles: (0..<10_001).map { PermittedFile(given: "/\($0)", real: "/") }))
        #expect(try stored().permittedFiles.count == 10_000)
        try write(ServerChange(permittedFiles: (0..<2500).map { PermittedFile(given: "/\(long)\($0)", real: "/\(long)") }))
        let files = try stored().permittedFiles
        #expect(files.count > 2000 && files.reduce(0) { $0 + $1.given.utf8.count + $1.real.utf8.count } <= PermittedFile.maximumTextSize)
    }
}

@Suite("What the store keeps of the server") struct ServerKeepingTests {
    private let clock = VirtualClock()
    private let store: StateStore
    init() { store = StateStore(clock: clock, report: {}) }
    private let writer = ScriptedWriter()

    @Test("what could not be written is written later, unless it was replaced meanwhile")
    func retry() {
        writer.error = DatabaseError(.diskFull, "full")
        store.keep(playerID: "1")
        store.keep([PermittedFile(given: "/a", real: "/a")])
        #expect(store.step(writer))
        store.keep([])
        writer.error = nil
        #expect(!store.step(writer))
        #expect(writer.changes.first?.server.playerID == "1")
        #expect(writer.changes.first?.server.permittedFiles?.isEmpty == true)
    }
}
