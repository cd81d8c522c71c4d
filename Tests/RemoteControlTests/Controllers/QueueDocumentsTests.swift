import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// Tests of the JSON document of the queue, which is encoded once for all clients that read it.
@MainActor @Suite struct QueueDocumentsTests {
    private let player = FakeRemotePlayer()
    private let documents: QueueDocuments

    init() { documents = QueueDocuments(player: player, epoch: "e0") }

    private func add(_ url: String) async throws {
        _ = try await player.perform(.insert([EntrySpec(source: MediaSource(.remote(url: url)), url: url)], at: .end, play: false), origin: "test")
    }
    private func place(_ document: QueueDocuments.Document) -> UnsafeRawPointer? { document.bytes.withUnsafeBytes { $0.baseAddress } }

    @Test("readers of an unchanged queue share the bytes of its document; a change gives another document")
    func shared() async throws {
        try await add("http://a.example/1")
        let first = await documents.newest()
        let second = await documents.newest()
        #expect(place(first) == place(second))
        #expect(first.entityTag == second.entityTag)
        try await add("http://a.example/2")
        let third = await documents.newest()
        #expect(third.entityTag != first.entityTag)
        #expect(String(decoding: third.bytes, as: UTF8.self).contains("http://a.example/2"))
    }

    @Test("concurrent readers share one document")
    func many() async throws {
        try await add("http://a.example/1")
        let documents = documents
        let readers = (0..<100).map { _ in Task { @MainActor in await documents.newest() } }
        var places: Set<UnsafeRawPointer?> = []
        for reader in readers { places.insert(place(await reader.value)) }
        #expect(places.count == 1)
    }

    @Test("a reader after a change never receives an older document, even if that is still being encoded")
    func fresh() async throws {
        for number in 0..<50 {
            async let earlier = documents.newest()
            await Task.yield()
            try await add("http://a.example/\(number)/")
            let document = await documents.newest()
            #expect(String(decoding: document.bytes, as: UTF8.self).contains("http://a.example/\(number)/"))
            _ = await earlier
        }
    }
}
