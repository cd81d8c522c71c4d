import Playlist

/// The state at one revision with the answers that are made of it, encoded once and shared by everybody who asks.
final class PlayerSnapshot: Sendable {
    let state: PlayerState
    let revision: Int
    /// The document.
    let json: [UInt8]
    /// `"epoch:revision"`, with its quotes.
    let entityTag: String
    /// 200 with the document.
    let response: HTTPResponse
    /// 304.
    let notModified: HTTPResponse

    init(_ state: PlayerState, epoch: String, revision: Int) {
        self.state = state
        self.revision = revision
        json = state.json(epoch: epoch, revision: revision)
        entityTag = "\"\(epoch):\(revision)\""
        response = .json(json, cache: .revalidate, entityTag: entityTag)
        notModified = .empty(entityTag: entityTag)
    }
}
