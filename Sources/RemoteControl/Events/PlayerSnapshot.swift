import Playlist

/// The state at one revision, with the answers made from it, encoded once and shared by all requests.
final class PlayerSnapshot: Sendable {
    let state: PlayerState
    let revision: Int
    /// The JSON document of the state.
    let json: [UInt8]
    /// `"epoch:revision"`, with its quotes.
    let entityTag: String
    /// The answer 200 with the document.
    let response: HTTPResponse
    /// The answer 304.
    let notModified: HTTPResponse
    /// Both answers in prepared form, for requests without a foreign origin.
    let prepared: PreparedResponse
    let preparedNotModified: PreparedResponse

    /// `fields`: the additional fields of prepared answers (`Vary`).
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

    /// Returns the data of a `state` event. `flag`: the name of a member set to true.
    func event(changed: [String] = [], hostTime: Double, flag: String? = nil) -> [UInt8] {
        let extra = JSONWriter.object { writer in
            writer.member("changed", array: changed) { $0.string($1) }
            writer.member("hostTime", hostTime)
            if let flag { writer.member(flag, true) }
        }
        // The document's bytes are copied; the members that only events have follow its own.
        return json.dropLast() + [UInt8(ascii: ",")] + extra.dropFirst()
    }
}
