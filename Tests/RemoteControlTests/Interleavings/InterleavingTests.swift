import PlaybackTesting
import Player
import Testing

@testable import RemoteControl

/// Two or three clients change one player at the same time. The network loses requests and responses, and delivers some requests twice. The order of
/// all events follows from a seed, and each response is compared with a model.
@MainActor @Suite struct InterleavingTests {
    private static let steps = 60

    @Test(
        "in many interleavings no edit of another client is lost, nothing is carried out twice, and an entry is skipped once",
        arguments: 0..<(TestDepth.isThorough ? 10 : 1))
    func interleavings(_ part: UInt64) async throws {
        let home = try TemporaryDirectory()
        for client in 0..<3 { for number in 1...Self.steps { try home.file(Interleaving.file(client, number)) } }
        var totals = Interleaving.Totals()
        for seed in (part * 100)..<(part * 100 + 100) {
            let interleaving = try Interleaving(seed: seed, home: home)
            try await interleaving.run(steps: Self.steps)
            totals.add(interleaving.totals)
            interleaving.close()
        }
        // Each kind of event must have occurred, because otherwise the test might pass although nothing happened.
        #expect(
            totals.performed > 500 && totals.replayed > 50 && totals.refusedTags > 50 && totals.refusedSteps > 20 && totals.lost > 100, "\(totals)")
    }
}

/// One random order of the requests and responses of several clients (an interleaving).
@MainActor final class Interleaving {
    struct Totals {
        var performed = 0, replayed = 0, refusedTags = 0, refusedSteps = 0, lost = 0
        mutating func add(_ other: Totals) {
            performed += other.performed
            replayed += other.replayed
            refusedTags += other.refusedTags
            refusedSteps += other.refusedSteps
            lost += other.lost
        }
    }

    /// A request that has not arrived at the server, or whose response has not arrived at the client.
    private struct Request {
        let operation: Operation
        let key: String
        /// The conditions of the request, each nil if the request does not have it: the tag in `If-Match`, and the id of the current entry that a
        /// step leaves.
        var tag: String?
        var current: String?
        /// The queue that the client knew when it made the request, if the request has the tag of the queue; otherwise nil.
        var known: ReferenceQueue?
        /// The bytes of the state that the client knew when it made the request, if the request has the tag of the player; otherwise nil.
        var state: [UInt8]?
        var answer: Reply?
    }

    /// A client, which knows of the player only what responses have shown it.
    private struct Client {
        let name: String
        var queue: (model: ReferenceQueue, tag: String)?
        var state: (document: [UInt8], tag: String)?
        var current: String?
        var request: Request?
        var count = 0
    }

    private(set) var totals = Totals()
    private let seed: UInt64
    private let shared: SharedPlayer
    private let folder: String
    private var generator: SeededGenerator
    private var clients: [Client]
    private var model = ReferenceQueue()
    /// The first response to each successful request, by the client and the `Idempotency-Key` of the request.
    private var answers: [String: Reply] = [:]
    /// Requests that have not arrived yet, although their clients have already repeated them.
    private var late: [(client: String, request: Request)] = []

    init(seed: UInt64, home: TemporaryDirectory) throws {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        let files = (0..<3).flatMap { client in (1...60).map { Self.file(client, $0) } }
        shared = try SharedPlayer(home, files: files)
        folder = home.path
        clients = (0..<(seed % 2 == 0 ? 2 : 3)).map { Client(name: "client \($0)") }
    }

    func close() { shared.close() }

    /// Returns the name of the file that a client's request adds. Each new entry has a file of its own, because a new queue keeps an existing entry
    /// of the same file.
    static func file(_ client: Int, _ number: Int) -> String { "client \(client) \(number).flac" }

    func run(steps: Int) async throws {
        for _ in 0..<steps {
            let index = generator.below(clients.count)
            if !late.isEmpty, generator.below(4) == 0 {
                let (client, request) = late.remove(at: generator.below(late.count))
                _ = await carryOut(request, of: client)
            } else if let request = clients[index].request {
                await proceed(request, index)
            } else if clients[index].queue == nil || generator.below(5) == 0 {
                await read(index)
            } else {
                clients[index].request = decide(index)
            }
        }
    }

    // MARK: Clients

    /// Performs the next step of a client's request: it arrives at the server, is lost, or its response arrives at the client.
    private func proceed(_ request: Request, _ index: Int) async {
        guard let answer = request.answer else {
            if generator.below(6) == 0 {
                // The client has waited too long and repeats the request. The first copy of the request may still arrive later.
                totals.lost += 1
                if generator.below(2) == 0 { late.append((clients[index].name, request)) }
                return
            }
            let answer = await carryOut(request, of: clients[index].name)
            clients[index].request?.answer = answer
            return
        }
        if generator.below(3) == 0 {
            totals.lost += 1
            clients[index].request?.answer = nil
            return
        }
        clients[index].request = nil
        learn(answer, to: request, index)
    }

    private func read(_ index: Int) async {
        let client = clients[index].name
        let queue = await shared.send(client, "GET", "/api/v1/queue")
        let state = await shared.send(client, "GET", "/api/v1/player")
        var known = model
        known.entries = Self.entries(queue)
        clients[index].queue = queue.header("ETag").map { (known, $0) }
        clients[index].state = state.header("ETag").map { (state.body, $0) }
        clients[index].current = queue.json?["currentId"]?.text
    }

    /// Updates the client's knowledge of the queue and the player from a response.
    private func learn(_ answer: Reply, to request: Request, _ index: Int) {
        guard (200..<300).contains(answer.status) else {
            // The client has to read the queue again, because it does not know how the queue has changed.
            if answer.status == 412 || answer.status == 404 { clients[index].queue = nil }
            return
        }
        if request.operation.isEdit {
            guard var known = request.known, let tag = answer.header("ETag") else {
                clients[index].queue = nil
                return
            }
            if case .put = request.operation {
                known.entries = Self.entries(answer)
            } else {
                if case .add = request.operation, let id = answer.json?["entries"]?[0]?["id"]?.text?.dropFirst(), let number = Int(id) {
                    known.nextNumber = number
                }
                _ = known.apply(request.operation)
            }
            // The response to an edit has the tag of the edited queue. So the client knows the new queue and its tag without reading the queue.
            clients[index].queue = (known, tag)
        } else if let tag = answer.header("ETag") {
            clients[index].state = (answer.body, tag)
            clients[index].current = answer.json?["currentItem"]?["id"]?.text
        }
    }

    private func decide(_ index: Int) -> Request {
        clients[index].count += 1
        let client = clients[index]
        let number = client.count
        let known = client.queue?.model ?? ReferenceQueue()
        let title = "\(client.name) \(number)"
        let some = known.ids.isEmpty ? nil : known.ids[generator.below(known.ids.count)]
        let operation: Operation
        switch (generator.below(20), some) {
        case (0..<5, _), (_, nil): operation = .add(title: title, after: generator.below(2) == 0 ? some : nil)
        case (5..<7, let id?): operation = .remove(id)
        case (7..<9, let id?): operation = .move(id, to: generator.below(known.ids.count))
        case (9..<11, _):
            let kept = known.ids.filter { _ in generator.below(5) > 0 }
            operation = .put(kept.shuffled(using: &generator), new: generator.below(2) == 0 ? title : nil)
        case (11, _): operation = .clear
        case (12..<15, _): operation = .next
        case (15, _): operation = .previous
        case (16, let id?): operation = .play(id)
        case (17, _): operation = .toggle
        default: operation = .setVolume(Double(generator.below(1000)) / 1000)
        }
        // All clients use the same keys, because clients may make their keys from a counter.
        var request = Request(operation: operation, key: "\(number)")
        switch operation {
        // Operations that could remove entries that the client does not know always have a tag.
        case .put, .clear: (request.tag, request.known) = (client.queue?.tag, known)
        case _ where operation.isEdit: if generator.below(4) > 0 { (request.tag, request.known) = (client.queue?.tag, known) }
        case .setVolume: if generator.below(4) > 0 { (request.tag, request.state) = (client.state?.tag, client.state?.document) }
        case _ where operation.isStep: request.current = client.current
        default: break
        }
        return request
    }

    // MARK: The server

    /// Lets a request arrive at the server, and compares its effect and its response with the model. Returns the response.
    private func carryOut(_ request: Request, of client: String) async -> Reply {
        let place = "seed \(seed): \(client) \(request.operation) key \(request.key)"
        let before = observed
        let state = await shared.send("observer", "GET", "/api/v1/player").body
        let (method, path, json) = request.operation.request(folder: folder, current: request.current)
        let headers = [("Idempotency-Key", request.key)] + (request.tag.map { [("If-Match", $0)] } ?? [])
        let reply = await shared.send(client, method, path, headers: headers, json: json)
        let isReplay = reply.header("Idempotency-Replayed") != nil
        if let first = answers[client + request.key] {
            totals.replayed += 1
            #expect(isReplay && reply.status == first.status && reply.body == first.body, "\(place): carried out twice")
            #expect(reply.header("ETag") == first.header("ETag"), "\(place)")
            #expect(observed == before, "\(place): a repetition changed the player")
            return reply
        }
        #expect(!isReplay, "\(place): the answer to another request")
        if reply.status == 412 {
            #expect(observed == before, "\(place): a refused request changed the player")
            if request.operation.isStep {
                totals.refusedSteps += 1
                #expect(request.current != before.current, "\(place)")
            } else {
                totals.refusedTags += 1
                #expect(request.known.map { $0.entries != before.entries || hasBeenEdited(request) } ?? (request.state != state), "\(place)")
            }
            return reply
        }
        if let known = request.known { #expect(known.entries == before.entries, "\(place): an edit of another client is lost") }
        if let known = request.state { #expect(known == state, "\(place): a change of another client is lost") }
        if let current = request.current { #expect(current == before.current, "\(place): another entry is skipped") }
        #expect(reply.status == model.apply(request.operation), "\(place): \(reply.text)")
        if (200..<300).contains(reply.status) {
            totals.performed += 1
            answers[client + request.key] = reply
        }
        let after = observed
        // If no entry is current, the player makes the first entry current at the start of playback.
        if case .toggle = request.operation, model.current == nil { model.current = after.current }
        #expect(after.entries == model.entries && after.current == model.current && after.history == model.history, "\(place)")
        #expect(after.volume == model.volume, "\(place)")
        if case .toggle = request.operation { #expect((after.rate == 0) == (before.rate != 0), "\(place)") }
        return reply
    }

    /// Whether the queue has another revision than the tag of a request, although its entries are equal to those that the client knew. An example are
    /// two moves that cancel each other.
    private func hasBeenEdited(_ request: Request) -> Bool {
        request.tag.map { !$0.hasPrefix("\"queue:e0:\(shared.player.playlist.revision)") } ?? false
    }

    private struct Observed: Equatable {
        var entries: [ReferenceQueue.Entry]
        var current: String?
        var history: [String]
        var volume: Double
        var rate: Double
    }

    private var observed: Observed {
        let playlist = shared.player.playlist
        let state = shared.player.state
        return Observed(
            entries: playlist.entries.map { ReferenceQueue.Entry(id: $0.id, title: $0.spec.title ?? "") }, current: playlist.currentID,
            history: playlist.history, volume: state.volume, rate: state.rate)
    }

    private static func entries(_ reply: Reply) -> [ReferenceQueue.Entry] {
        (reply.json?["entries"]?.elements ?? []).map { ReferenceQueue.Entry(id: $0["id"]?.text ?? "", title: $0["title"]?.text ?? "") }
    }
}

extension SeededGenerator {
    fileprivate mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
