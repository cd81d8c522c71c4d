import PlaybackEngine
import PlaybackTesting
import Player
import Testing

@testable import RemoteControl

/// A queue of 5,000 entries, with the real player on a scripted engine: what one remote receives, in bytes.
@MainActor @Suite struct QueueScaleTests {
    private let rig = ScriptedRig()
    private let player: PlaylistPlayer
    private let api: RemoteAPI

    init() throws {
        player = PlaylistPlayer(environment: rig.environment, seed: 1)
        var configuration = RemoteAPI.Configuration(media: try PathConfinement())
        configuration.epoch = "5f0c9a1be37d"
        api = RemoteAPI(
            player: player, configuration: configuration, clock: rig.clock, scheduler: rig.scheduler,
            limits: EventBroadcast.Limits(), runner: { $0() })
    }

    /// Fills the queue, plays its first entry, and waits until the entries ahead are opened.
    private func fill() async throws -> [String] {
        let specs = (0..<5000).map { number in
            let path = "/home/somebody/Music/Some Artist/An Album of a Long Name/\(number % 20) Some Title.flac"
            let metadata = [
                MetadataEntry(key: "title", value: "Some Title"), MetadataEntry(key: "artist", value: "Some Artist"),
                MetadataEntry(key: "album", value: "An Album of a Long Name"),
            ]
            if number < 20 { rig.add(String(path.dropFirst()), ScriptedMedium(seconds: 240, metadata: metadata)) }
            return EntrySpec(source: MediaSource(.file(path: path)), url: "file://" + path)
        }
        guard case .entries(let ids) = try await player.perform(.setQueue(specs, play: true), origin: "test") else { return [] }
        rig.advance(3)
        return ids
    }

    private func events() async throws -> TestStream {
        guard case .events(let stream) = await respond("GET", "/api/v1/events?state=changes").body else { throw NoStream() }
        let client = TestStream(stream)
        _ = client.read()
        return client
    }
    struct NoStream: Error {}

    private func respond(_ method: String, _ target: String, json: String? = nil) async -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let request = TestRig.request(method, target, json: json)
            if let response = api.respond(to: request, completion: { continuation.resume(returning: $0) }) {
                continuation.resume(returning: response)
            }
        }
    }

    /// The bytes that a client has received, as Server-Sent Events.
    private func size(_ events: [TestStream.Event]) -> Int {
        events.reduce(0) { $0 + "id: \($1.id ?? "")\nevent: \($1.name)\ndata: \($1.data.serialized)\n\n".utf8.count }
    }

    @Test("next costs a remote that keeps the state at most 4 KB of events, with the facts of the entry that is opened ahead")
    func next() async throws {
        let ids = try await fill()
        let client = try await events()
        _ = try await player.perform(.next, origin: "test")
        rig.advance(3)
        let received = client.read()
        #expect(received.contains { $0.name == "stateChange" && $0.data["currentItem"]?["id"]?.text == ids[1] })
        #expect(received.filter { $0.name == "queue" }.allSatisfy { $0.data["changes"] != nil })
        #expect(size(received) <= 4096, "\(received.map { "\($0.name) \($0.data.serialized.utf8.count)" })")
    }

    @Test("a move of entry 4,800 to 3 is one event of the queue of less than 1 KB")
    func move() async throws {
        let ids = try await fill()
        let client = try await events()
        _ = try await player.perform(.moveEntries([ids[4800]], to: .index(3), order: .display), origin: "test")
        let queue = client.read().filter { $0.name == "queue" }
        #expect(queue.count == 1 && size(queue) < 1024)
        #expect(queue.first?.data["changes"]?.serialized == #"[{"type":"move","index":4800,"count":1,"to":3}]"#)
    }

    @Test("the first screen, 50 entries around the current one, has at most 20 KB")
    func firstScreen() async throws {
        let ids = try await fill()
        _ = try await player.perform(.playEntry(ids[2500]), origin: "test")
        rig.advance(1)
        let reply = Reply(await respond("GET", "/api/v1/queue?around=current&limit=50"))
        #expect(reply.json?["offset"]?.double == 2475 && reply.json?["entries"]?.elements.count == 50)
        #expect(reply.json?["count"]?.double == 5000)
        #expect(reply.body.count <= 20_000, "\(reply.body.count)")
    }
}
