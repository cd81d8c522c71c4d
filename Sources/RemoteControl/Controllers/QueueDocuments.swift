import Player

/// Encodes the queue to JSON documents for clients, one document at a time. All requests that arrive while a document is encoded share the next one.
/// A document that equals the preceding one is not stored twice, so that many clients use the memory of one document.
@MainActor final class QueueDocuments {
    struct Document: Sendable {
        let bytes: [UInt8]
        let revision: Int
        let entityTag: String

        var response: HTTPResponse { .json(bytes, cache: .revalidate, entityTag: entityTag) }
    }

    /// The longest queue that is encoded just to make the tag for the answer to an edit; beyond it, this tag has no hash.
    static let maximumTaggedCount = 256

    private let player: any RemotePlayer
    private let epoch: String
    /// The task that encodes a document now, and the one that will encode the next and has not read the queue yet.
    private var current: Task<Document, Never>?
    private var waiting: Task<Document, Never>?
    private var latest: Document?
    private var lastPage: Task<Document, Never>?

    init(player: any RemotePlayer, epoch: String) {
        self.player = player
        self.epoch = epoch
    }

    /// The queue as it was at the time of the call, or later.
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

    /// The entity tag for the answer to an edit with this revision. It has no hash of the document if another edit has followed, or if the queue is
    /// so long that the answer would have to wait for its document.
    func tag(madeWith revision: Int) async -> String {
        let version = PlayerQueue.tag(epoch: epoch, revision: revision).text
        guard player.state.queue.count <= Self.maximumTaggedCount else { return version }
        let document = await newest()
        return document.revision == revision ? document.entityTag : version
    }

    /// Encodes a page of the queue. Pages are encoded one after the other, however many requests wait for pages.
    func page(_ page: QueuePage) async -> Document {
        let former = lastPage
        let task = Task { @MainActor in
            _ = await former?.value
            return await Self.encoded(player.queue(page), epoch)
        }
        lastPage = task
        let document = await task.value
        if lastPage == task { lastPage = nil }
        return document
    }

    private func make() async -> Document {
        // A later request may come from a client that knows of a later change, so it must get another document.
        (current, waiting) = (waiting, nil)
        let made = await Self.encoded(player.queue, epoch)
        let document = latest.map { $0.bytes == made.bytes && $0.entityTag == made.entityTag ? $0 : made } ?? made
        latest = document
        if waiting == nil { current = nil }
        return document
    }

    /// Encodes a queue off the main actor, because 10,000 entries take milliseconds.
    @concurrent nonisolated static func encoded(_ queue: PlayerQueue, _ epoch: String) async -> Document {
        let bytes = queue.json(epoch: epoch)
        let revision = queue.summary.revision
        return Document(bytes: bytes, revision: revision, entityTag: PlayerQueue.tag(epoch: epoch, revision: revision, document: bytes).text)
    }
}
