import Synchronization
import WebSocket

/// One event as its bytes on the wire, encoded once for all clients.
final class EventFrame: Sendable {
    /// The event's number in the log. For an unnumbered event: the newest number at its creation, which it must follow.
    let sequence: Int
    let name: String
    /// The event in the format of Server-Sent Events, including the empty line at its end.
    let bytes: [UInt8]
    private let id: String?
    /// The range of the JSON in `bytes`.
    let payload: Range<Int>
    private let framed = Mutex<[UInt8]?>(nil)

    /// `id`: `epoch:sequence`, nil for an unnumbered event. `payload` is JSON on one line. `retry`: the time after which a client whose connection
    /// broke reconnects, in milliseconds.
    init(sequence: Int, id: String?, name: String, payload: [UInt8], retry: Int? = nil) {
        self.sequence = sequence
        self.name = name
        self.id = id
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

    /// The event as a WebSocket frame. It is made at the first use and then shared by all clients, because a server's frames are not masked.
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
