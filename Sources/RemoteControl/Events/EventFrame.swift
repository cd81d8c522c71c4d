import Synchronization
import WebSocket

/// One event as its bytes on the wire, encoded once for all clients.
final class EventFrame: Sendable {
    /// The event's place in the log; for one that is not numbered, the newest place when it was made, which it must not precede.
    let sequence: Int
    let name: String
    /// The event as Server-Sent Events have it, the empty line at its end included.
    let bytes: [UInt8]
    private let id: String?
    /// Where in `bytes` the JSON is.
    let payload: Range<Int>
    private let framed = Mutex<[UInt8]?>(nil)

    /// `id`: `epoch:sequence`, nil for an event that is not numbered. `payload` is JSON on one line. `retry`: milliseconds until a client that
    /// lost its connection connects again.
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

    /// The event as a WebSocket frame: made when the first WebSocket asks for it, and then the same for all, for a server's frames are not masked.
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
