/// One event as its bytes on the wire, encoded once for all clients.
struct EventFrame: Sendable {
    /// The event's place in the log; for one that is not numbered, the newest place when it was made, which it must not precede.
    let sequence: Int
    let name: String
    /// The event as Server-Sent Events have it, the empty line at its end included.
    let bytes: [UInt8]
    /// Where in `bytes` the JSON is, for transports that frame it in another way.
    let payload: Range<Int>

    /// `id`: `epoch:sequence`, nil for an event that is not numbered. `payload` is JSON on one line. `retry`: milliseconds until a client that
    /// lost its connection connects again.
    init(sequence: Int, id: String?, name: String, payload: [UInt8], retry: Int? = nil) {
        self.sequence = sequence
        self.name = name
        var head = ""
        if let id { head += "id: \(id)\n" }
        head += "event: \(name)\n"
        if let retry { head += "retry: \(retry)\n" }
        head += "data: "
        var bytes = Array(head.utf8)
        bytes.reserveCapacity(bytes.count + payload.count + 2)
        self.payload = bytes.count..<(bytes.count + payload.count)
        bytes.append(contentsOf: payload)
        bytes.append(contentsOf: [0x0A, 0x0A])
        self.bytes = bytes
    }
}
