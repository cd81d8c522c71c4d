import PlaybackTesting
import RemoteControl
import Testing

@testable import HTTPServer

/// Connections that were upgraded to a WebSocket, over real sockets.
@Suite struct ConversationStreamTests {
    private let socket = EchoSocket()

    /// Connects a client, and performs the WebSocket handshake.
    private func connect(receiveBuffer: Int32? = nil, _ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestClient {
        let server = try RunningServer(EchoSocket.handler(socket), configure: configure)
        let client = try server.client(receiveBuffer: receiveBuffer)
        try shakeHands(client)
        return client
    }

    private func shakeHands(_ client: TestClient) throws {
        try client.get(
            "/socket",
            headers: "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
        let head = try client.head()
        #expect(head.status == 101)
        #expect(head.headers.filter { $0.name == "Connection" }.map(\.value) == ["Upgrade"])
        #expect(head.header("Upgrade") == "websocket")
        #expect(head.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head.header("Content-Length") == nil)
        #expect(socket.opened.wait())
    }

    @Test("messages are received and answered in segments of any size")
    func echo() throws {
        let client = try connect()
        for chop in [1, 3, 1000] {
            let bytes = ClientFrame.text("Hello, world").bytes + ClientFrame.ping([1, 2]).bytes
            for start in stride(from: 0, to: bytes.count, by: chop) { try client.send(Array(bytes[start..<min(bytes.count, start + chop)])) }
            let expected = SocketFrame.text(Array("Hello, world".utf8)) + SocketFrame.encoded(.pong, [1, 2])
            #expect(try client.read(count: expected.count) == expected)
        }
    }

    @Test("a message of 1 MiB is echoed")
    func large() throws {
        let client = try connect()
        let payload = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let expected = SocketFrame.encoded(.binary, payload)
        try client.send(ClientFrame.binary(payload).bytes)
        #expect(try client.read(count: expected.count) == expected)
    }

    /// Frames of a client that make the server end the connection, and the bytes that the server must answer first.
    struct Exchange: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var frames: [ClientFrame]
        var answer: [UInt8]
    }

    private static let failures: [Exchange] = [
        Exchange(testDescription: "3.1: a reserved bit", frames: [ClientFrame(0x1, [0x2A], reservedBits: 1)], answer: closed(.protocolError)),
        Exchange(testDescription: "4.1.1: an unknown opcode", frames: [ClientFrame(0x3, [])], answer: closed(.protocolError)),
        Exchange(testDescription: "4.2.1: an unknown control opcode", frames: [ClientFrame(0xB, [])], answer: closed(.protocolError)),
        Exchange(testDescription: "2.5: a ping of 126 bytes", frames: [.ping(Array(repeating: 0, count: 126))], answer: closed(.protocolError)),
        Exchange(testDescription: "5.9: a continuation of nothing", frames: [.continuation([1])], answer: closed(.protocolError)),
        Exchange(testDescription: "6.3.1: no UTF-8", frames: [ClientFrame(0x1, [0xED, 0xA0, 0x80])], answer: closed(.invalidData)),
        Exchange(
            testDescription: "5.6: a ping between two fragments, then a close",
            frames: [.text("Hel", isFinal: false), .ping([7]), .continuation(Array("lo".utf8)), .close(1000)],
            answer: SocketFrame.encoded(.pong, [7]) + SocketFrame.text(Array("Hello".utf8)) + SocketFrame.close(.normal)),
        Exchange(testDescription: "7.1.4: a message behind a close", frames: [.close(1000), .text("Hello")], answer: SocketFrame.close(.normal)),
        Exchange(testDescription: "7.3.1: a close without code", frames: [.close()], answer: [0x88, 0]),
        Exchange(testDescription: "7.3.2: half a code", frames: [ClientFrame(0x8, [3])], answer: [0x88, 0]),
        Exchange(testDescription: "7.9: a code that may not be", frames: [.close(1005)], answer: closed(.protocolError)),
    ]

    /// Returns the bytes of a close frame with a code. The length 0xFF means that only the code is compared, not the reason after it.
    private static func closed(_ code: CloseCode) -> [UInt8] { [0x88, 0xFF, UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] }

    @Test("the last message arrives, then the server closes the connection and discards further input", arguments: failures)
    func ends(_ exchange: Exchange) throws {
        let client = try connect()
        try client.send(exchange.frames.flatMap(\.bytes))
        var answer = try client.readToEnd()
        // The reason of the close frame is text for people, so it is not compared.
        if exchange.answer.count == 4, exchange.answer[1] == 0xFF, answer.count >= 4 {
            #expect(Int(answer[1]) == answer.count - 2)
            answer = [answer[0], 0xFF, answer[2], answer[3]]
        }
        #expect(answer == exchange.answer)
        #expect(socket.closed.wait())
        #expect(socket.closed.count == 1)
    }

    @Test("a client that keeps sending after the end still receives the last message, not a reset")
    func talksOn() throws {
        let client = try connect { $0.farewellTimeout = 60 }
        socket.say(SocketFrame.close(.goingAway), isLast: true)
        for _ in 0..<50 { try client.send(ClientFrame.text(String(repeating: "x", count: 1000)).bytes) }
        #expect(try client.readToEnd() == SocketFrame.close(.goingAway))
        #expect(socket.closed.wait())
    }

    enum Departure: CaseIterable { case close, reset, halfClose }

    @Test("a disconnect is noticed at once, and earlier messages are received", arguments: Departure.allCases)
    func departure(_ departure: Departure) throws {
        let client = try connect()
        let bytes = ClientFrame.pong([1]).bytes
        try client.send(bytes)
        switch departure {
        case .close: client.close()
        case .reset: client.reset()
        case .halfClose: client.finishSending()
        }
        #expect(socket.closed.wait())
        if departure != .reset { #expect(socket.heard == bytes.count) }
        #expect(socket.closed.count == 1)
    }

    @Test("unread input stays with the client, and is received in order when reading resumes")
    func backpressure() throws {
        let client = try connect()
        socket.setDeaf(true)
        try client.send(ClientFrame.text("one").bytes)
        // The ping makes the server's loop run again. If the loop did not respect that the socket has stopped reading, it would read the message now.
        socket.say(SocketFrame.encoded(.ping, []))
        #expect(try client.read(count: 2) == [0x89, 0])
        #expect(socket.heard == 0)
        try client.send(ClientFrame.text("two").bytes)
        socket.setDeaf(false)
        let expected = SocketFrame.text(Array("one".utf8)) + SocketFrame.text(Array("two".utf8))
        #expect(try client.read(count: expected.count) == expected)
    }

    @Test("a flooding client does not delay another, and is limited by the stream's reading")
    func flood() throws {
        let server = try RunningServer(EchoSocket.handler(socket))
        let client = try server.client()
        try shakeHands(client)
        socket.setDeaf(true)
        client.deadline = 0.05
        // The kernel's socket buffers accept some data, and then no more.
        var sent = 0
        let frame = ClientFrame.text(String(repeating: "x", count: 60_000)).bytes
        while sent < 1000, client.maySend() {
            try client.send(frame)
            sent += 1
        }
        #expect(sent < 1000)
        #expect(socket.heard == 0)
        let other = try server.client()
        try other.get("/")
        #expect(try other.response().status == 426)
    }

    @Test("a WebSocket client that reads nothing for too long is dropped")
    func stalled() throws {
        let client = try connect(receiveBuffer: 4096) { $0.stalledStreamTimeout = 0.5 }
        socket.say(Array(repeating: 0, count: 4 << 20))
        #expect(socket.closed.wait())
        _ = client
    }

    @Test("a server that stops closes its WebSockets")
    func stop() throws {
        let client = try connect()
        (client.companion as? RunningServer)?.server.stop()
        #expect(try client.readToEnd() == [])
        #expect(socket.closed.count == 1)
    }
}
