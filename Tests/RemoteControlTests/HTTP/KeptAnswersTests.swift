import Platform
import PlaybackEngine
import Playlist
import Synchronization
import Testing

@testable import RemoteControl

/// An archive that remembers what it was given last.
private final class MemoryArchive: AnswerArchive {
    private let newest = Mutex<SavedAnswers?>(nil)
    var answers: [SavedAnswer] { newest.withLock { $0?.answers ?? [] } }
    /// Accepts the answers of another server, whose editions begin anew.
    func reopen() { newest.withLock { $0?.edition = 0 } }
    func keep(_ answers: SavedAnswers) { newest.withLock { if answers.edition >= $0?.edition ?? 0 { $0 = answers } } }
}

/// Repeated changes after a restart of the server.
@MainActor @Suite("Answers that survive a restart") struct KeptAnswersTests {
    private static let date = 1_769_860_800.0
    private let archive = MemoryArchive()

    /// A server after a restart, `age` seconds after the first one.
    private func restarted(after age: Double = 0, configure: (inout RemoteAPI.Configuration) -> Void = { _ in }) throws -> TestRig {
        archive.reopen()
        return try TestRig {
            $0.answerArchive = archive
            $0.keptAnswers = archive.answers
            $0.wallClock = StoppedWallClock(secondsSince1970: Self.date + age)
            configure(&$0)
        }
    }

    private func pause(_ rig: TestRig, _ key: String) async -> Reply {
        await rig.send("POST", "/api/v1/player/pause", headers: [("Idempotency-Key", key)])
    }

    @Test("a request that is repeated after a restart gets the kept answer, with its fields, and is not performed")
    func replayed() async throws {
        let change = (headers: [("Idempotency-Key", "k")], json: #"{"volume":0.5}"#)
        let first = await (try restarted()).send("PATCH", "/api/v1/player", headers: change.headers, json: change.json)
        let rig = try restarted(after: 10)
        let second = await rig.send("PATCH", "/api/v1/player", headers: change.headers, json: change.json)
        #expect(first.status == 200 && second.status == 200)
        #expect(second.body == first.body)
        #expect(second.header("ETag") == first.header("ETag"))
        #expect(second.header("Content-Type") == first.header("Content-Type"))
        #expect(second.header("Idempotency-Replayed") == "true")
        #expect(rig.player.performed.isEmpty)
        #expect(await rig.send("PATCH", "/api/v1/player", headers: change.headers, json: #"{"volume":0.6}"#).problem == "idempotency-key-reused")
    }

    @Test("without an archive nothing is kept")
    func withoutArchive() async throws {
        #expect(await pause(try TestRig(), "k").status == 200)
        #expect(archive.answers.isEmpty)
    }

    @Test("an answer is given to the archive before the server waits for the archive, and so before it is sent")
    func order() async throws {
        let counts = Mutex<[Int]>([])
        let rig = try restarted { configuration in
            configuration.settle = { [archive] in counts.withLock { $0.append(archive.answers.filter { $0.response != nil }.count) } }
        }
        _ = await pause(rig, "k")
        #expect(counts.withLock { $0 } == [1])
    }

    @Test("a request that failed and changed nothing is not kept")
    func failed() async throws {
        let rig = try restarted()
        rig.player.refusal = .noItem
        #expect(await rig.send("POST", "/api/v1/player/seek", headers: [("Idempotency-Key", "k")], json: #"{"time":1}"#).status == 409)
        #expect(archive.answers.isEmpty)
    }

    @Test("a kept answer is removed an hour after its request, however often the server restarts")
    func age() async throws {
        _ = await pause(try restarted(), "k")
        #expect(await pause(try restarted(after: 3500), "k").header("Idempotency-Replayed") == "true")
        let rig = try restarted(after: 3500)
        rig.time.advance(by: 101)
        #expect(await pause(rig, "k").header("Idempotency-Replayed") == nil)
        _ = await pause(try restarted(), "old")
        #expect(await pause(try restarted(after: 3601), "old").header("Idempotency-Replayed") == nil)
    }

    @Test("kept answers count for the limit of a network, and the oldest are removed first")
    func limits() async throws {
        let rig = try restarted()
        for number in 0..<IdempotencyLedger.ofOne.count { _ = await pause(rig, "k\(number)") }
        let second = try restarted()
        _ = await pause(second, "new")
        #expect(archive.answers.count == IdempotencyLedger.ofOne.count)
        #expect(await pause(second, "k1").header("Idempotency-Replayed") == "true")
        #expect(await pause(try restarted(), "k0").header("Idempotency-Replayed") == nil)
    }

    // MARK: The store alone

    private func answer(_ number: Int64, network: String = "10.0.0.1", size: Int = 10, key: Int = 1, date: Double = date) -> SavedAnswer {
        SavedAnswer(
            number: number, client: [UInt8](repeating: 1, count: 32), key: Array("k\(number)".utf8) + [UInt8](repeating: 0x6B, count: key - 1),
            fingerprint: [UInt8](repeating: 2, count: 32), network: network, date: date,
            response: SavedAnswer.Response(status: 200, fields: [], body: [UInt8](repeating: 0x20, count: size)))
    }

    private func store(_ answers: [SavedAnswer]) -> IdempotencyStore {
        IdempotencyStore(
            clock: ManualTime(), wallClock: StoppedWallClock(secondsSince1970: Self.date), archive: archive, restoring: answers)
    }

    @Test("more kept answers than the limits permit are not restored, in number and in bytes")
    func restoredLimits() {
        #expect(store((1...2000).map { answer($0, network: "10.0.\($0 % 100).1") }).count == IdempotencyLedger.all.count)
        #expect(store((1...300).map { answer($0) }).count == IdempotencyLedger.ofOne.count)
        let large = store((1...20).map { answer($0, size: 1 << 20) })
        #expect(large.count == 3 && large.bytes <= IdempotencyLedger.ofOne.bytes)
        let many = store((1...20).map { answer($0, network: "10.0.0.\($0)", size: 1 << 20) })
        #expect(many.bytes <= IdempotencyLedger.all.bytes && many.count > 3)
    }

    @Test("answers that this program cannot have kept are ignored")
    func malformed() {
        var answers = [answer(1, date: Self.date - 3601), answer(0), answer(-5), answer(.max), answer(9, key: 256)]
        answers.append(answer(10, network: String(repeating: "1", count: 65)))
        answers.append(answer(2))
        answers[6].client.removeLast()
        answers.append(answer(3))
        answers[7].fingerprint.append(0)
        answers += [answer(4), answer(4), answer(5, date: .infinity)]
        #expect(store(answers).count == 1)
    }

    @Test("a request that has changed the player and was not answered is not carried out again, and its key is removed like an answer")
    func interrupted() async throws {
        let change = (headers: [("Idempotency-Key", "k")], json: #"{"time":1}"#)
        let first = try restarted()
        first.player.holdsSeeks = true
        first.player.marksSeeks = true
        async let lost = first.send("POST", "/api/v1/player/seek", headers: change.headers, json: change.json)
        await first.until { first.player.heldSeeks == 1 }
        #expect(archive.answers.count == 1 && archive.answers.first?.response == nil)
        let second = try restarted(after: 5)
        for _ in 0..<2 {
            let reply = await second.send("POST", "/api/v1/player/seek", headers: change.headers, json: change.json)
            #expect(reply.status == 409 && reply.problem == "request-interrupted")
        }
        #expect(second.player.performed.isEmpty)
        second.time.advance(by: IdempotencyLedger.lifetime)
        #expect(await second.send("POST", "/api/v1/player/seek", headers: change.headers, json: change.json).status == 200)
        first.player.releaseSeeks()
        _ = await lost
    }

    @Test("new requests have larger numbers than those that were kept")
    func numbers() async throws {
        _ = await pause(try restarted(), "a")
        _ = await pause(try restarted(), "b")
        let numbers = archive.answers.map(\.number).sorted()
        #expect(numbers == [1, 2])
    }
}
