import Synchronization
import Testing

@testable import RemoteControl

/// A client of an event stream, without a socket. It reads only when the test calls it, and as many bytes as the test requests.
final class TestStream {
    struct Event: Equatable {
        var id: String?
        var name: String
        var retry: String?
        var data: JSONValue

        var sequence: Int? { id.flatMap { Int($0.split(separator: ":").last ?? "") } }
    }

    let stream: any EventStream
    private let wakes = Wakes()
    private(set) var isOver = false
    private var pending: [UInt8] = []

    /// The number of signals that events are available, which any thread may increment.
    private final class Wakes: Sendable { let count = Mutex(0) }

    init(_ stream: any EventStream) {
        self.stream = stream
        stream.open { [wakes] in wakes.count.withLock { $0 += 1 } }
    }

    /// Closes the stream, as the server does after a client has disconnected. The stream may already be closed.
    deinit { stream.close() }

    /// The number of times that the stream has signalled that events are available.
    var wakeCount: Int { wakes.count.withLock { $0 } }

    /// Reads once, at most `size` bytes. Returns the number of bytes; nil at the end of the stream.
    @discardableResult func readBytes(_ size: Int = 65536) -> Int? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { buffer.deallocate() }
        guard let count = stream.read(into: buffer) else {
            isOver = true
            return nil
        }
        pending.append(contentsOf: buffer[..<count])
        return count
    }

    /// Reads all available bytes, and returns the complete events.
    func read() -> [Event] {
        while let count = readBytes(), count > 0 {}
        return events()
    }

    /// Removes the complete events from the bytes that have been read, and returns them.
    func events() -> [Event] {
        let text = String(decoding: pending, as: UTF8.self)
        let blocks = text.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
        pending = Array((blocks.last ?? "").utf8)
        return blocks.dropLast().compactMap(Self.parse)
    }

    var unparsed: String { String(decoding: pending, as: UTF8.self) }

    private static func parse(_ block: String) -> Event? {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else {
                Issue.record("a line without a field: \(line)")
                continue
            }
            let name = String(line[..<colon])
            if fields[name] != nil { Issue.record("the field \(name) is a duplicate") }
            fields[name] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        guard let name = fields["event"], let data = try? JSONParser.parse(Array((fields["data"] ?? "").utf8)) else {
            Issue.record("not an event: \(block)")
            return nil
        }
        Contract.shared.checkEvent(name, data)
        return Event(id: fields["id"], name: name, retry: fields["retry"], data: data)
    }
}
