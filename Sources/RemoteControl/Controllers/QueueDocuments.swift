import Playlist

/// The queue's document for those who read it. One is made at a time; whoever asks meanwhile gets the one that is made after it, all of them the same, and
/// a document that says what the one before said shares its bytes: many readers hold one document.
@MainActor final class QueueDocuments {
    struct Document: Sendable {
        let bytes: [UInt8]
        let entityTag: String

        var response: HTTPResponse { .json(bytes, cache: .revalidate, entityTag: entityTag) }
    }

    private let player: any RemotePlayer
    private let epoch: String
    /// The one that is being made, and the one that waits for it; the latter has not looked at the queue yet.
    private var current: Task<Document, Never>?
    private var waiting: Task<Document, Never>?
    private var latest: Document?

    init(player: any RemotePlayer, epoch: String) {
        self.player = player
        self.epoch = epoch
    }

    /// The document of the queue as it is now, or later.
    func newest() async -> Document {
        if let waiting { return await waiting.value }
        let former = current
        let task = Task { @MainActor in
            _ = await former?.value
            return await make()
        }
        waiting = task
        return await task.value
    }

    private func make() async -> Document {
        // Whoever asks from here on may know of a later change.
        (current, waiting) = (waiting, nil)
        let made = await Self.encoded(player.queue, epoch)
        let document = latest.map { $0.bytes == made.bytes && $0.entityTag == made.entityTag ? $0 : made } ?? made
        latest = document
        if waiting == nil { current = nil }
        return document
    }

    /// Ten thousand entries take milliseconds, which the main actor does not have.
    @concurrent nonisolated static func encoded(_ queue: PlayerQueue, _ epoch: String) async -> Document {
        let bytes = queue.json(epoch: epoch)
        return Document(bytes: bytes, entityTag: PlayerQueue.entityTag(epoch: epoch, revision: queue.summary.revision, document: bytes))
    }
}
