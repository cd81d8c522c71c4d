import Synchronization
import Testing

@testable import RemoteControl

/// A client of an event stream that reads when and as much as the test says.
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

    /// The wake-up count, changed from any thread.
    private final class Wakes: Sendable { let count = Mutex(0) }

    init(_ stream: any EventStream) {
        self.stream = stream
        stream.open { [wakes] in wakes.count.withLock { $0 += 1 } }
    }

    /// A client that disconnects: the server closes its stream, possibly again.
    deinit { stream.close() }

    /// How often the stream signalled that events are available.
    var wakeCount: Int { wakes.count.withLock { $0 } }

    /// Reads at most `size` bytes once; nil at the end.
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

    /// Reads everything available and returns the complete events.
    func read() -> [Event] {
        while let count = readBytes(), count > 0 {}
        return events()
    }

    /// Removes and returns the complete events among the bytes that have been read.
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
