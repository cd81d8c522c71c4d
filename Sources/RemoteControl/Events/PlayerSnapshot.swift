import Player

/// The player's state at one revision, with the HTTP answers made from it, encoded once and shared by all requests.
final class PlayerSnapshot: Sendable {
    let state: PlayerState
    let revision: Int
    let json: [UInt8]
    let tag: ResourceTag
    /// The entity tag `"player:epoch:revision"`, with its quotes.
    let entityTag: String
    let response: HTTPResponse
    let notModified: HTTPResponse

    init(_ state: PlayerState, epoch: String, revision: Int) {
        self.state = state
        self.revision = revision
        json = state.json(epoch: epoch, revision: revision)
        tag = ResourceTag(.player, version: "\(epoch):\(revision)")
        entityTag = tag.text
        response = .json(json, cache: .revalidate, entityTag: entityTag)
        notModified = .empty(entityTag: entityTag)
    }

    /// - Parameter flag: The name of an additional member with the value true.
    func event(changed: [String] = [], hostTime: Double, flag: String? = nil) -> [UInt8] {
        let extra = JSONWriter.object { writer in
            writer.member("changed", array: changed) { $0.string($1) }
            writer.member("hostTime", hostTime)
            if let flag { writer.member(flag, true) }
        }
        // The members that only events have are appended.
        return json.dropLast() + [UInt8(ascii: ",")] + extra.dropFirst()
    }

    /// A `stateChange` event, with only the members that `changed` names.
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
