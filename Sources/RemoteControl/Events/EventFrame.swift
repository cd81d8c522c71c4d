import Synchronization

/// An event, encoded once for all clients.
final class EventFrame: Sendable {
    /// The number of the event. An unnumbered event has the number of the newest numbered event at its creation, and is sent after it.
    let sequence: Int
    let name: String
    let type: EventTypes
    /// The event in the form of Server-Sent Events, with the empty line at the end.
    let bytes: [UInt8]
    /// The form for clients that requested only what has changed (`StateForm.changes`); nil if all receive this form.
    let reduced: EventFrame?
    private let id: String?
    /// The range of the JSON data in `bytes`.
    let payload: Range<Int>
    private let framed = Mutex<[UInt8]?>(nil)

    /// - Parameter id: The id of the event, `epoch:sequence`; nil for an unnumbered event.
    /// - Parameter payload: JSON on one line.
    /// - Parameter retry: The milliseconds that a client waits before it reconnects.
    init(sequence: Int, id: String?, name: String, payload: [UInt8], retry: Int? = nil, reduced: EventFrame? = nil) {
        self.sequence = sequence
        self.name = name
        type = EventTypes(name)
        self.id = id
        self.reduced = reduced
        var head = ""
        if let id { head += "id: \(id)\n" }
        head += "event: \(name)\n"
        if let retry { head += "retry: \(retry)\n" }
        head += "data: "
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.utf8.count + payload.count + 2)
        bytes.append(contentsOf: head.utf8)
        self.payload = bytes.count..<(bytes.count + payload.count)
        bytes.append(contentsOf: payload)
        bytes.append(contentsOf: [0x0A, 0x0A])
        self.bytes = bytes
    }

    /// The event as a WebSocket frame, made at the first use and shared: a server does not mask its frames.
    var socketFrame: [UInt8] {
        framed.withLock { framed in
            if let framed { return framed }
            var message = Array("{\"event\":\"\(name)\"".utf8)
            if let id { message += Array(",\"id\":\"\(id)\"".utf8) }
            message.reserveCapacity(message.count + payload.count + 16)
            message += Array(",\"data\":".utf8)
            message += bytes[payload]
            message.append(UInt8(ascii: "}"))
            let frame = SocketFrame.text(message)
            framed = frame
            return frame
        }
    }
}

/// A set of types of events, by which a client selects what its stream contains.
struct EventTypes: OptionSet, Sendable {
    static let names = [
        "state", "rateDidChange", "timeJumped", "didPlayToEndTime", "failedToPlayToEndTime", "playbackStalled", "queue", "metadata", "interruption",
        "routeChange", "currentItemChanged", "entryFailed", "network", "tick", "buffer", "heartbeat",
    ]
    static let all = EventTypes(rawValue: .max)

    /// The bits, one for each name. The highest bit stands for types without a name, which only a stream without a selection contains.
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ name: String) {
        let index = Self.names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 31
        self.init(rawValue: 1 << UInt32(index))
    }

    /// Parses a list of names; nil if the text is empty, or contains another name or a name twice.
    init?(list text: String) {
        // No list of different names is longer than that of all.
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
    /// The client receives `stateChange` events, which contain only what has changed. A snapshot is a `state` event for these clients too.
    case changes
}
