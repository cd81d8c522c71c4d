struct RemoteEvent: Sendable, Hashable {
    var name = ""
    var id: String?
    /// The data of the event: one line of JSON.
    var data: [UInt8] = []
}

/// Splits Server-Sent Events (HTML, section 9.2).
struct RemoteEventParser {
    /// The largest size of an event, in bytes. A larger event ends the stream, because the bytes after it cannot be split reliably.
    static let maximumSize = 1 << 20

    private var line: [UInt8] = []
    private var event = RemoteEvent()
    /// The number of bytes of the present event so far.
    private var size = 0
    /// Whether an event exceeded the maximum size; no more events are returned.
    private(set) var hasOverflowed = false

    /// Returns the events that are now complete.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [RemoteEvent] {
        var complete: [RemoteEvent] = []
        for byte in bytes where !hasOverflowed {
            size += 1
            if size > Self.maximumSize {
                hasOverflowed = true
                line = []
                event = RemoteEvent()
            } else if byte == 0x0A {
                if line.last == 0x0D { line.removeLast() }
                if line.isEmpty {
                    if !event.data.isEmpty { complete.append(event) }
                    event = RemoteEvent()
                    size = 0
                } else {
                    endLine()
                }
                line.removeAll(keepingCapacity: true)
            } else {
                line.append(byte)
            }
        }
        return complete
    }

    private mutating func endLine() {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == 0x20 { value.removeFirst() }
        switch line[..<colon] {
        case _ where line[..<colon].elementsEqual("data".utf8):
            if !event.data.isEmpty { event.data.append(0x0A) }
            event.data += value
        case _ where line[..<colon].elementsEqual("event".utf8): event.name = String(decoding: value.prefix(256), as: UTF8.self)
        case _ where line[..<colon].elementsEqual("id".utf8): event.id = String(decoding: value.prefix(256), as: UTF8.self)
        default: break
        }
    }
}
