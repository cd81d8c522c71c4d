import Foundation
import PlaybackTesting

/// A client that receives events as an event stream or by WebSocket. A test can disconnect it after any byte; it reconnects with the id of its last
/// event.
final class LossyClient {
    struct Event {
        var id: String?
        var type: String
        var data: String

        var sequence: Int? { id.flatMap { Int($0.split(separator: ":").last ?? "") } }
        var epoch: Substring? { id?.split(separator: ":").first }
        var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]) ?? [:] }
        /// Whether the event is a complete state, which the server sends in place of events that the client has missed.
        var isSnapshot: Bool { object["resync"] as? Bool == true || object["coalesced"] as? Bool == true }
    }

    private let isWebSocket: Bool
    private let port: UInt16
    private let query: String
    private var socket: HTTPSocket?
    private var pending: [UInt8] = []
    private var hasHead = false
    private(set) var events: [Event] = []

    /// - Parameter query: The query of the address of each connection, such as `tick=1`.
    init(port: UInt16, isWebSocket: Bool, query: String) {
        self.port = port
        self.isWebSocket = isWebSocket
        self.query = query
    }

    /// Ends the present connection, if any, and connects with the id of the last event.
    func connect() throws {
        cut()
        let socket = try HTTPSocket(port: port, timeout: 10)
        let last = events.last { $0.id != nil }?.id
        let query = "?" + query + (last.map { "&lastEventId=\($0)" } ?? "")
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        let path = isWebSocket ? "socket" : "events"
        try socket.write(Array("GET /api/v1/\(path)\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(isWebSocket ? upgrade : "")\r\n".utf8))
        self.socket = socket
    }

    func cut() {
        socket = nil
        pending = []
        hasHead = false
    }

    /// Waits for bytes, and stores the events that are complete. Returns false at the end of the connection.
    @discardableResult func read() throws -> Bool {
        guard let more = try socket?.read() else { return false }
        try take(more)
        return true
    }

    /// Reads at most `count` bytes, so that the test can disconnect the client after any byte. Waits for the first byte, but not for further ones.
    func read(atMost count: Int) throws {
        var rest = count
        repeat {
            guard let more = try socket?.read(atMost: rest) else { return }
            rest -= more.count
            try take(more)
        } while rest > 0 && socket?.hasMore == true
    }

    private func take(_ bytes: [UInt8]) throws {
        pending += bytes
        if !hasHead {
            guard let head = HTTPHead(pending) else { return }
            guard head.status == (isWebSocket ? 101 : 200) else {
                throw HTTPClient.Failure(description: "the response has the status \(head.status)")
            }
            pending.removeFirst(head.length)
            hasHead = true
        }
        while isWebSocket ? takeFrame() : takeText() {}
    }

    /// Returns true if the received events satisfy `isDone`. Otherwise reads once and returns nil, so that `eventually` calls the function again.
    func read(until isDone: ([Event]) -> Bool) throws -> Bool? {
        if isDone(events) { return true }
        try read()
        return nil
    }

    /// Returns the first event with an id whose epoch (the run of the server) is not `epoch`. If none has arrived, reads once and returns nil, so
    /// that `eventually` calls the function again.
    func firstEvent(after epoch: Substring?) throws -> Event? {
        if let event = events.first(where: { $0.id != nil && $0.epoch != epoch }) { return event }
        try read()
        return nil
    }

    private func takeText() -> Bool {
        guard let end = pending.position(of: [10, 10]) else { return false }
        var event = Event(type: "", data: "")
        for line in String(decoding: pending[..<end], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "id": event.id = value
            case "event": event.type = value
            case "data": event.data = value
            default: break
            }
        }
        pending.removeFirst(end + 2)
        events.append(event)
        return true
    }

    private func takeFrame() -> Bool {
        guard pending.count >= 2 else { return false }
        let short = Int(pending[1])
        let extra = short < 126 ? 0 : short == 126 ? 2 : 8
        guard pending.count >= 2 + extra else { return false }
        let length = extra == 0 ? short : pending[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
        guard pending.count >= 2 + extra + length else { return false }
        let payload = Array(pending[(2 + extra)..<(2 + extra + length)])
        let isText = pending[0] == 0x81
        pending.removeFirst(2 + extra + length)
        guard isText, let message = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any], let type = message["event"] as? String,
            let data = try? JSONSerialization.data(withJSONObject: message["data"] ?? [:])
        else { return true }
        events.append(Event(id: message["id"] as? String, type: type, data: String(decoding: data, as: UTF8.self)))
        return true
    }
}
