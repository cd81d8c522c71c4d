import PlaybackTesting
import Testing

@testable import Playlist
@testable import StateStore

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

    private func answer(_ number: Int64, body: [UInt8]? = [1, 2, 3]) -> SavedAnswer {
        SavedAnswer(
            number: number, client: [1], key: Array("key \(number)".utf8), fingerprint: [2], network: "10.0.0.1", date: 12.5,
            response: body.map { body in
                SavedAnswer.Response(status: 201, fields: [.init(name: "ETag", value: "\"é\""), .init(name: "X", value: "")], body: body)
            })
    }

    @Test("the player's id, the permitted files and the answers are read as they were written")
    func roundTrip() throws {
        try write(
            ServerChange(
                playerID: "5f0c9a1be37d", permittedFiles: [PermittedFile(given: "/a", real: "/b"), PermittedFile(given: "/c", real: "/c")],
                answers: SavedAnswers(edition: 1, answers: [answer(1), answer(2, body: nil), answer(3, body: [])])))
        let server = try stored()
        #expect(server.playerID == "5f0c9a1be37d")
        #expect(server.permittedFiles.map(\.given) == ["/a", "/c"] && server.permittedFiles.map(\.real) == ["/b", "/c"])
        #expect(server.answers.map(\.number) == [3, 2, 1])
        #expect(server.answers.map(\.response?.body) == [[], nil, [1, 2, 3]])
        let first = try #require(server.answers.last)
        #expect(first.client == [1] && first.key == Array("key 1".utf8) && first.fingerprint == [2] && first.network == "10.0.0.1")
        #expect(first.date == 12.5 && first.response?.status == 201)
        #expect(first.response?.fields.map(\.name) == ["ETag", "X"] && first.response?.fields.map(\.value) == ["\"é\"", ""])
    }

    @Test("a write replaces what it contains, and nothing else")
    func replaced() throws {
        try write(
            ServerChange(playerID: "1", permittedFiles: [PermittedFile(given: "/a", real: "/a")]),
            ServerChange(playerID: "2", answers: SavedAnswers(edition: 1, answers: [answer(1)])), ServerChange(permittedFiles: []))
        let server = try stored()
        #expect(server.playerID == "2" && server.permittedFiles.isEmpty && server.answers.count == 1)
    }

    @Test("of the answers, only those that are new, completed or removed are written")
    func incremental() throws {
        try write(ServerChange(answers: SavedAnswers(edition: 1, answers: (1...100).map { answer($0) })))
        let open = try OpenTables(directory)
        var answers = try open.tables.server.read().answers
        answers.removeAll { $0.number == 7 }
        answers.append(answer(101, body: nil))
        let before = try open.database.integer("SELECT total_changes()")
        try open.tables.write(PlayerChange(server: ServerChange(answers: SavedAnswers(edition: 2, answers: answers))))
        #expect(try open.database.integer("SELECT total_changes()") - before == 2)
        answers[answers.count - 1] = answer(101)
        try open.tables.write(PlayerChange(server: ServerChange(answers: SavedAnswers(edition: 3, answers: answers))))
        #expect(try open.database.integer("SELECT total_changes()") - before == 3)
        let numbers = try open.tables.server.read().answers.filter { $0.response != nil }.map(\.number)
        #expect(numbers == [101] + (1...100).reversed().filter { $0 != 7 })
    }

    @Test("a database from before these tables gets them, and keeps its player")
    func olderDatabase() throws {
        do {
            let open = try OpenTables(directory)
            try open.write(SavedPlayer(PlaylistMachine(seed: 1), edition: 1))
            for name in ["identity", "permittedFile", "answer"] { try open.database.run("DROP TABLE \(name)") }
        }
        try write(ServerChange(playerID: "1"))
        let open = try OpenTables(directory)
        #expect(open.player != nil)
        #expect(try open.tables.server.read().playerID == "1")
    }

    @Test("malformed rows are ignored, removed by the next write, and never taken for an answer of the same number")
    func malformed() throws {
        let open = try OpenTables(directory)
        try open.database.run("INSERT INTO answer VALUES (5, x'01', x'02', x'03', 'n', 1, 200, x'4500', x'')")
        try open.database.run("INSERT INTO answer VALUES (6, x'01', x'02', x'03', 'n', 1, 200, x'450046', x'')")
        try open.database.run("INSERT INTO identity VALUES (1, '\(String(repeating: "a", count: 65))')")
        try open.database.run("INSERT INTO permittedFile VALUES ('\(String(repeating: "a", count: 9000))', '/b')")
        let server = try open.tables.server.read()
        #expect(server.answers.isEmpty && server.playerID == nil && server.permittedFiles.isEmpty)
        try open.tables.write(PlayerChange(server: ServerChange(answers: SavedAnswers(edition: 1, answers: [answer(5)]))))
        #expect(try open.tables.server.read().answers.map(\.number) == [5])
    }

    @Test("answers beyond the limits are not read: 1,000, and 8 MiB of all, the newest first")
    func limits() throws {
        try write(ServerChange(answers: SavedAnswers(edition: 1, answers: (1...1200).map { answer($0) })))
        #expect(try stored().answers.map(\.number) == (201...1200).reversed())
        let large = (1...4).map { answer($0, body: [UInt8](repeating: 1, count: 3 << 20)) }
        try write(ServerChange(answers: SavedAnswers(edition: 1, answers: large)))
        #expect(try stored().answers.map(\.number) == [4, 3])
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

    private func answers(_ edition: UInt64, _ numbers: Int64...) -> SavedAnswers {
        SavedAnswers(
            edition: edition,
            answers: numbers.map {
                SavedAnswer(number: abs($0), client: [], key: [], fingerprint: [], network: "", date: 0, response: $0 < 0 ? nil : response)
            })
    }
    private let response = SavedAnswer.Response(status: 200, fields: [], body: [])
    private var written: [[Int64]?] { writer.changes.map { $0.server.answers?.answers.map(\.number) } }

    @Test("answers that are older than the last ones are ignored, also after those were written")
    func editions() {
        store.keep(answers(2, 1, 2))
        store.keep(answers(1, 1))
        _ = store.step(writer)
        store.keep(answers(1, 1))
        _ = store.step(writer)
        #expect(written == [[1, 2], nil])
    }

    @Test("a change is written as a whole: nothing is written while a part of it is missing")
    func together() {
        store.together {
            store.keep(answers(1, 1))
            #expect(!store.step(writer))
            #expect(writer.changes.isEmpty)
            store.keep(SavedPlayer())
        }
        #expect(!store.step(writer))
        #expect(written == [[1]])
        #expect(writer.changes.first?.player != nil)
    }

    @Test("a change waits for the answer of the request that made it, so that one write contains both")
    func awaited() {
        store.keep(answers(1, 1, -2))
        store.keep(SavedPlayer())
        #expect(!store.step(writer) && writer.changes.isEmpty)
        store.keep(answers(2, 1, 2))
        #expect(!store.step(writer))
        #expect(written == [[1, 2]] && writer.changes.first?.player != nil)
    }

    @Test("a change waits no longer than a moment for an answer, and once for each request")
    func awaitedInVain() {
        store.keep(answers(1, -1))
        #expect(!store.step(writer) && writer.changes.isEmpty)
        clock.advance(by: AwaitedAnswer.patience)
        #expect(!store.step(writer) && writer.changes.count == 1)
        store.keep(answers(2, -1, 2))
        #expect(!store.step(writer) && writer.changes.count == 2)
        store.keep(answers(3, -1, 2, -3))
        #expect(!store.step(writer) && writer.changes.count == 2)
    }

    @Test("requests that follow each other do not postpone a write")
    func manyAwaited() {
        for number in 1...4 {
            store.keep(answers(UInt64(number), -Int64(number)))
            #expect(!store.step(writer) && writer.changes.isEmpty)
            clock.advance(by: AwaitedAnswer.patience / 4)
        }
        #expect(!store.step(writer) && writer.changes.count == 1)
    }

    @Test("what could not be written is written later, unless it was replaced meanwhile")
    func retry() {
        writer.error = DatabaseError(.diskFull, "full")
        store.keep(playerID: "1")
        store.keep([PermittedFile(given: "/a", real: "/a")])
        store.keep(answers(1, 1))
        #expect(store.step(writer))
        store.keep(answers(2, 2))
        writer.error = nil
        #expect(!store.step(writer))
        #expect(writer.changes.first?.server.playerID == "1")
        #expect(writer.changes.first?.server.permittedFiles?.count == 1)
        #expect(written == [[2]])
    }
}
