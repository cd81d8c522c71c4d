import Playlist

/// The player's state at one revision, with the HTTP answers made from it. The answers are encoded once and shared by all requests.
final class PlayerSnapshot: Sendable {
    let state: PlayerState
    let revision: Int
    /// The player's state as a JSON document.
    let json: [UInt8]
    /// The entity tag of the document.
    let tag: ResourceTag
    /// The text of `tag`: `"player:epoch:revision"`, with its quotes.
    let entityTag: String
    /// The answer with status 200 and the JSON document of the state.
    let response: HTTPResponse
    /// The answer with status 304, for a client that already has the state's document.
    let notModified: HTTPResponse

    /// Creates the snapshot of a state, and encodes the state as a JSON document.
    init(_ state: PlayerState, epoch: String, revision: Int) {
        self.state = state
        self.revision = revision
        json = state.json(epoch: epoch, revision: revision)
        tag = ResourceTag(.player, version: "\(epoch):\(revision)")
        entityTag = tag.text
        response = .json(json, cache: .revalidate, entityTag: entityTag)
        notModified = .empty(entityTag: entityTag)
    }

    /// Returns the data of a `state` event.
    ///
    /// - Parameter flag: The name of an additional Boolean member, whose value is true; nil for no additional member.
    func event(changed: [String] = [], hostTime: Double, flag: String? = nil) -> [UInt8] {
        let extra = JSONWriter.object { writer in
            writer.member("changed", array: changed) { $0.string($1) }
            writer.member("hostTime", hostTime)
            if let flag { writer.member(flag, true) }
        }
        // The bytes of the state's document are copied, and the members that only events have are appended.
        return json.dropLast() + [UInt8(ascii: ",")] + extra.dropFirst()
    }

    /// Returns the data of a `stateChange` event, which contains only the members that `changed` names. A member without a value is absent.
    func changeEvent(changed: [String], epoch: String, hostTime: Double) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("epoch", epoch)
            writer.member("revision", revision)
            for member in StateMember.all where changed.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) { member.write(state, &writer) }
            writer.member("changed", array: changed) { $0.string($1) }
            writer.member("hostTime", hostTime)
        }
    }
}
