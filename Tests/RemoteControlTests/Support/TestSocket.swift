import PlaybackTesting
import Testing
@testable import RemoteControl

/// A WebSocket client that exchanges frames with the server in memory, without a network socket.
@MainActor final class TestSocket {
    let stream: any DuplexStream
    private let rig: TestRig
    private var pending: [UInt8] = []
    private(set) var wakeCount = 0
    private(set) var isOver = false
    /// The code of the server's close frame; nil if the server has not sent one.
    private(set) var closeCode: CloseCode?
    private(set) var pongs: [[UInt8]] = []
    /// The messages that were received, and have not been returned to the test yet.
    private var messages: [JSONValue] = []
    private var commandCount = 0

    init(_ rig: TestRig, _ query: String = "", headers: [(String, String)] = []) async throws {
        self.rig = rig
        let response = await rig.respond(to: TestRig.request("GET", "/api/v1/socket" + query, headers: Self.handshake + headers))
        guard response.status == 101, case .events(let events) = response.body, let stream = events as? any DuplexStream else {
            Issue.record("no WebSocket but status \(response.status)")
            throw TestRig.NoStream()
        }
        self.stream = stream
        stream.open(wake: {})
        rig.time.run()
    }

    static let handshake = [
        ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    deinit { stream.close() }

    // MARK: Sending

    func send(bytes: [UInt8]) { bytes.withUnsafeBytes { stream.receive($0) } }
    func send(text: String) { send(bytes: ClientFrame.text(text).bytes) }

    /// Sends a command and returns its id.
    /// - Parameter fields: Further members of the message, which are strings.
    @discardableResult func command(_ name: String, _ arguments: String? = nil, fields: [String: String] = [:]) -> String {
        commandCount += 1
        let arguments = arguments.map { ",\"arguments\":" + $0 } ?? ""
        let more = fields.map { ",\"\($0.key)\":" + JSONValue.string($0.value).serialized }.joined()
        send(text: "{\"id\":\"c\(commandCount)\",\"command\":\"\(name)\"\(arguments)\(more)}")
        return "c\(commandCount)"
    }

    /// Sends a command, and returns the answer to it.
    func ask(_ name: String, _ arguments: String? = nil, fields: [String: String] = [:]) async -> JSONValue {
        await answer(to: command(name, arguments, fields: fields))
    }

    /// Waits for the answer to the command with this id, and returns it. Other messages stay in `messages`.
    func answer(to id: String?) async -> JSONValue {
        while true {
            rig.time.run()
            collect()
            if let index = messages.firstIndex(where: { $0["event"] == nil && $0["id"]?.text == id }) { return messages.remove(at: index) }
            await Task.yield()
        }
    }

    // MARK: Reading

    /// Reads all available bytes, at most `size` in one call. Returns all messages that have not been returned yet.
    func read(_ size: Int = 4096) -> [JSONValue] {
        collect(size)
        defer { messages = [] }
        return messages
    }

    /// Reads all available bytes, and returns the events among the messages. Answers to commands stay in `messages`.
    func events() -> [JSONValue] {
        collect()
        return takeEvents()
    }

    /// Removes the events from the messages that have been read, and returns them. Answers to commands stay in `messages`.
    func takeEvents() -> [JSONValue] {
        defer { messages.removeAll { $0["event"] != nil } }
        return messages.filter { $0["event"] != nil }
    }

    private func collect(_ size: Int = 4096) {
        while readOnce(size) {}
    }

    /// Reads at most `size` bytes. Returns false if none were available.
    @discardableResult func readOnce(_ size: Int) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { buffer.deallocate() }
        guard let count = stream.read(into: buffer) else {
            isOver = true
            return false
        }
        pending.append(contentsOf: buffer[..<count])
        while takeFrame() {}
        return count > 0
    }

    /// Removes the first frame from the received bytes, and handles it. Returns false if no frame is complete.
    private func takeFrame() -> Bool {
        guard pending.count >= 2 else { return false }
        let short = Int(pending[1])
        let extra = short < 126 ? 0 : short == 126 ? 2 : 8
        guard pending.count >= 2 + extra else { return false }
        let length = extra == 0 ? short : pending[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
        guard pending.count >= 2 + extra + length else { return false }
        let first = pending[0]
        let payload = Array(pending[(2 + extra)..<(2 + extra + length)])
        pending.removeFirst(2 + extra + length)
        #expect(first & 0xF0 == 0x80, "a server's frame must be final, without reserved bits")
        switch SocketFrame.Opcode(rawValue: first & 0x0F) {
        case .text:
            guard let message = try? JSONParser.parse(payload) else {
                Issue.record("not JSON: \(String(decoding: payload, as: UTF8.self))")
                return true
            }
            Contract.shared.checkMessage(message)
            messages.append(message)
        case .pong: pongs.append(payload)
        case .close: closeCode = payload.count >= 2 ? CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1])) : nil
        default: Issue.record("a frame that a server must not send: \(first)")
        }
        return true
    }
}
