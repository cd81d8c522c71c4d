/// A set of types of events, by which a client selects what its stream contains.
struct EventTypes: OptionSet, Sendable {
    static let names = [
        "state", "rateDidChange", "timeJumped", "didPlayToEndTime", "failedToPlayToEndTime", "playbackStalled", "queue", "metadata", "interruption",
        "routeChange", "currentItemChanged", "entryFailed", "network", "tick", "boundary", "buffer", "heartbeat",
    ]
    static let all = EventTypes(rawValue: .max)

    /// A bit for each name. The highest bit stands for types without a name, which only a stream without a selection contains.
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ name: String) {
        let index = Self.names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 31
        self.init(rawValue: 1 << UInt32(index))
    }

    /// Nil if the text is empty, or contains another name or a name twice.
    init?(list text: String) {
        // No list of different names is longer.
        guard text.utf8.count <= Self.names.reduce(0, { $0 + $1.utf8.count + 1 }) else { return nil }
        var types = EventTypes()
        for name in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let index = Self.names.firstIndex(where: { $0.utf8.elementsEqual(name) }) else { return nil }
            guard types.insert(EventTypes(rawValue: 1 << UInt32(index))).inserted else { return nil }
        }
        self = types
    }
}

/// The form in which a client receives a change of the player's state (the parameter `state` of event streams).
enum StateForm: String, CaseIterable, Sendable {
    case whole
    /// `stateChange` events contain only what has changed; a snapshot is a `state` event for these clients too.
    case changes
}
