import Dispatch
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization

/// A client of the event stream, on a thread of its own. It exists once the server has answered with the first event, so that it misses nothing that
/// happens afterwards. It also writes the events to a file if the evidence of the test is kept.
final class EventListener: Sendable {
    struct Event: Sendable {
        var type: String
        var id: String?
        var data: String
        /// The host time at which the event arrived.
        var arrival: HostTime
        func number(_ member: String) -> Double? { (object[member] as? NSNumber)?.doubleValue }
        var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]) ?? [:] }
    }
    private struct State {
        var events: [Event] = []
        var isOver = false
        var status = 0
    }
    private let state = Mutex(State())
    private let file: FileHandle?
    private let start = MonotonicClock().now
    /// Signalled when the first event has arrived, or the stream is over.
    private let isSubscribed = DispatchSemaphore(value: 0)

    init(port: UInt16, query: String = "") throws {
        file = TestEvidence.newFile("events", extension: "txt").flatMap {
            FileManager.default.createFile(atPath: $0, contents: nil) ? FileHandle(forWritingAtPath: $0) : nil
        }
        write("events\(query) of port \(port), from \(Date().formatted(.iso8601)) on; seconds, type, id and data")
        let socket = try HTTPSocket(port: port, timeout: 60)
        try socket.write(Array("GET /api/v1/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: text/event-stream\r\n\r\n".utf8))
        nonisolated(unsafe) let connection = socket
        _ = WorkerThread(name: "events") { self.listen(connection) }
        _ = isSubscribed.wait(timeout: .now() + 60)
    }

    /// A copy of all events received so far. If the array shared its storage with the state, ThreadSanitizer would report a race that does not exist:
    /// it does not know that the reference count of the storage orders the accesses.
    var events: [Event] { state.withLock { state in state.events.map { $0 } } }
    func events(_ type: String) -> [Event] { events.filter { $0.type == type } }
    /// Whether the server has ended the stream.
    var isOver: Bool { state.withLock { $0.isOver } }
    var status: Int { state.withLock { $0.status } }

    private func listen(_ socket: HTTPSocket) {
        var bytes: [UInt8] = []
        var decoder: ChunkDecoder?
        var text: [UInt8] = []
        var head: HTTPHead?
        while let more = try? socket.read() {
            if head == nil {
                bytes += more
                guard let complete = HTTPHead(bytes) else { continue }
                head = complete
                state.withLock { $0.status = complete.status }
                if complete.headers["transfer-encoding"]?.lowercased() == "chunked" { decoder = ChunkDecoder() }
                let body = Array(bytes[complete.length...])
                text += decoder?.decode(body) ?? body
            } else {
                text += decoder?.decode(more) ?? more
            }
            take(from: &text)
        }
        state.withLock { $0.isOver = true }
        isSubscribed.signal()
        write("\(MonotonicClock().now - start) the end of the stream")
    }

    /// Writes a line of the file. A failure of the disk is ignored, because it is none of the test.
    private func write(_ line: String) { try? file?.write(contentsOf: Data((line + "\n").utf8)) }

    /// Removes the complete events from the beginning of the received text, and stores them.
    private func take(from text: inout [UInt8]) {
        let arrival = MonotonicClock().now
        while let end = text.position(of: [10, 10]) {
            var event = Event(type: "message", id: nil, data: "", arrival: arrival)
            for line in String(decoding: text[..<end], as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = parts.count > 1 ? String(parts[1].first == " " ? parts[1].dropFirst() : parts[1]) : ""
                switch parts[0] {
                case "event": event.type = value
                case "id": event.id = value
                case "data": event.data += value
                default: break
                }
            }
            text.removeFirst(end + 2)
            guard !event.data.isEmpty else { continue }
            let isFirst = state.withLock { state in
                state.events.append(event)
                return state.events.count == 1
            }
            if isFirst { isSubscribed.signal() }
            write("\(arrival - start) \(event.type) \(event.id ?? "-") \(event.data)")
        }
    }
}
