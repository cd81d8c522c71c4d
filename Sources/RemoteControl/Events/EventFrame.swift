import Synchronization
import WebSocket

/// One event in the form in which it is sent to clients. An event is encoded once for all clients.
final class EventFrame: Sendable {
    /// The event's number in the log. An unnumbered event has the number of the numbered event that was the newest when it was created, and is sent
    /// after that event.
    let sequence: Int
    let name: String
    /// The event's type, as a set of one.
    let type: EventTypes
    /// The bytes of the event in the format of Server-Sent Events, including the empty line at the event's end.
    let bytes: [UInt8]
    /// The same event for a client that requested only what has changed in the state (`StateForm.changes`); nil if all clients receive this form.
    let reduced: EventFrame?
    private let id: String?
    /// The range of indices of the JSON data in `bytes`.
    let payload: Range<Int>
    private let framed = Mutex<[UInt8]?>(nil)

    /// Creates an event in the form for clients.
    ///
    /// - Parameters:
    ///   - sequence: The event's number in the log; see the property `sequence`.
    ///   - id: The event's identifier, the text `epoch:sequence`; nil for an unnumbered event.
    ///   - payload: The event's data, as JSON on one line.
    ///   - retry: The time, in milliseconds, that a client waits before it reconnects after a broken connection; nil if the event does not state it.
    ///   - reduced: The same event for a client that requested only what has changed in the state; nil if all clients receive this form.
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

    /// The event as a WebSocket frame. It is made at the first use and shared by all clients: a server does not mask its frames, so the bytes are the
    /// same.
    var socketFrame: [UInt8] {
        framed.withLock { framed in
            if let framed { return framed }
            var message = Array("{\"event\":\"\(name)\"".utf8)
            if let id { message += Array(",\"id\":\"\(id)\"".utf8) }
            message.reserveCapacity(message.count + payload.count + 16)
            message += Array(",\"data\":".utf8)
            message += bytes[payload]
            message.append(UInt8(ascii: "}"))
            let frame = Frame.text(message)
            framed = frame
            return frame
        }
    }
}
