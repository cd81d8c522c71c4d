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
    /// Both once more, as the server keeps them ready for requests of no other origin.
    let prepared: PreparedResponse
    let preparedNotModified: PreparedResponse

    /// `fields`: what every answer to a request of no other origin has besides (`Vary`).
    init(_ state: PlayerState, epoch: String, revision: Int, fields: [(name: String, value: String)] = []) {
        self.state = state
        self.revision = revision
        json = state.json(epoch: epoch, revision: revision)
        entityTag = "\"\(epoch):\(revision)\""
        response = .json(json, cache: .revalidate, entityTag: entityTag)
        notModified = .empty(entityTag: entityTag)
        prepared = PreparedResponse(status: response.status, headers: response.headers + fields, body: json)
        preparedNotModified = PreparedResponse(status: notModified.status, headers: notModified.headers + fields, body: [])
    }

    /// The data of a `state` event. `flag`: a member that is true.
    func event(changed: [String] = [], hostTime: Double, flag: String? = nil) -> [UInt8] {
        let extra = JSONWriter.object { writer in
            writer.member("changed", array: changed) { $0.string($1) }
            writer.member("hostTime", hostTime)
            if let flag { writer.member(flag, true) }
        }
        // The document's bytes as they are; what only events have comes behind its members.
        return json.dropLast() + [UInt8(ascii: ",")] + extra.dropFirst()
    }
}
