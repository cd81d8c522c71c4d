import PlaybackTesting
import Player
import Synchronization
import Testing
@testable import RemoteControl

/// Tests of the WebSocket: its handshake, events, control frames and closing.
@MainActor @Suite struct SocketTests {
    let rig: TestRig
    init() throws { rig = try TestRig() }

    private func handshake(without missing: String = "", plus headers: [(String, String)] = [], method: String = "GET") async -> Reply {
        let fields = TestSocket.handshake.filter { $0.0 != missing } + headers
        return Reply(await rig.respond(to: TestRig.request(method, "/api/v1/socket", headers: fields)))
    }

    // MARK: Handshake

    @Test("the handshake returns the accept value of RFC 6455, section 1.3")
    func accept() async {
        let reply = await handshake()
        #expect(reply.status == 101)
        #expect(reply.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(reply.header("Upgrade") == "websocket")
        #expect(reply.header("Connection") == "Upgrade")
        #expect(reply.header("Sec-WebSocket-Protocol") == nil)
        #expect(reply.header("Sec-WebSocket-Extensions") == nil)
    }

    @Test("a request without Upgrade or Connection gets 426 with the required fields (RFC 9110, 15.5.22)", arguments: ["Upgrade", "Connection"])
    func notAsked(missing: String) async {
        let reply = await handshake(without: missing)
        #expect(reply.status == 426)
        #expect(reply.problem == "upgrade-required")
        #expect(reply.header("Upgrade") == "websocket")
        #expect(reply.header("Sec-WebSocket-Version") == "13")
    }

    @Test("HEAD and HTTP/1.0 requests get 426 (RFC 6455, 4.2.1)")
    func wrongRequest() async {
        #expect(await handshake(method: "HEAD").status == 426)
        var old = TestRig.request("GET", "/api/v1/socket", headers: TestSocket.handshake)
        old.isHTTP10 = true
        #expect(await rig.respond(to: old).status == 426)
    }

    @Test("a request with another version gets 426 with version 13 (RFC 6455, 4.4)", arguments: [["8"], ["13", "13"], ["013"], [""], []])
    func version(versions: [String]) async {
        let reply = await handshake(without: "Sec-WebSocket-Version", plus: versions.map { ("Sec-WebSocket-Version", $0) })
        #expect(reply.status == 426)
        #expect(reply.header("Sec-WebSocket-Version") == "13")
    }

    @Test(
        "a missing, duplicate or invalid key is refused; a valid one is 16 bytes in base64 (RFC 6455, 4.2.1)",
        arguments: [
            [], [""], ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="], ["dGhlIHNhbXBsZSBub25jZR=="], ["dGhlIHNhbXBsZSBub25jZQ"],
            ["dGhlIHNhbXBsZSBub25jZQ==="], ["dGhlIHNhbXBsZSBub25j!Q=="], ["dGhlIHNhbXBsZSBub25jZSBub25jZQ=="],
        ])
    func key(keys: [String]) async {
        let reply = await handshake(without: "Sec-WebSocket-Key", plus: keys.map { ("Sec-WebSocket-Key", $0) })
        #expect(reply.status == 400)
        #expect(reply.problem == "malformed-request")
    }

    @Test("field values are compared without case, and extensions are not negotiated (RFC 6455, 4.2.2 and 9.1)")
    func lenient() async {
        let fields = [
            ("Upgrade", "h2c, WebSocket"), ("Connection", "UPGRADE"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
        ]
        let reply = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/socket", headers: fields)))
        #expect(reply.status == 101)
        #expect(reply.header("Sec-WebSocket-Extensions") == nil)
    }

    @Test("only the subprotocol tonearm is chosen, if offered", arguments: [("tonearm", true), ("a, tonearm", true), ("a,b", false)])
    func subprotocol(offered: String, isChosen: Bool) async {
        let reply = await handshake(plus: [("Sec-WebSocket-Protocol", offered)])
        #expect(reply.status == 101)
        #expect(reply.header("Sec-WebSocket-Protocol") == (isChosen ? "tonearm" : nil))
    }

    @Test("invalid or duplicate names of subprotocols are refused (RFC 6455, 4.1)", arguments: ["a,,b", "a b", "a,a", "\u{e9}"])
    func badSubprotocol(offered: String) async {
        #expect(await handshake(plus: [("Sec-WebSocket-Protocol", offered)]).problem == "malformed-request")
    }

    @Test("a page of another origin or under a foreign host name cannot open a WebSocket")
    func foreign() async {
        #expect(await handshake(plus: [("Origin", "http://evil.example")]).problem == "forbidden-origin")
        #expect(await handshake(plus: [("Origin", "null")]).problem == "forbidden-origin")
        #expect(await handshake(plus: [("Host", "evil.example")]).problem == "forbidden-host")
        #expect(await handshake(plus: [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "websocket")]).problem == "cross-site")
        #expect(await handshake(plus: [("Origin", "http://127.0.0.1:7711"), ("Sec-Fetch-Site", "same-origin")]).status == 101)
        #expect(rig.broadcast.streamCount == 0)
    }

    @Test("the query has the parameters of the event stream", arguments: ["?tick=0", "?types=x", "?unheard=1", "?tick=1&tick=2"])
    func query(query: String) async {
        let reply = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/socket" + query, headers: TestSocket.handshake)))
        #expect(reply.status == 400)
    }

    // MARK: Events

    @Test("the events equal those of the event stream, with the same ids and data")
    func events() async throws {
        let plain = try await rig.events("?tick=0.5")
        let socket = try await TestSocket(rig, "?tick=0.5")
        #expect(socket.read(7).first?["data"] == plain.read().first?.data)
        rig.player.change { $0.volume = 0.5 }
        rig.player.emit(.timeJumped(itemID: "e1", time: 42.5))
        rig.tick(0.5, PlayerTime(currentTime: 12.5, rate: 1, hostTime: 8123.5))
        rig.time.advance(by: 15)
        let expected = plain.read()
        let messages = socket.read(7)
        #expect(messages.map { $0["event"]?.text } == ["state", "timeJumped", "tick", "heartbeat"])
        #expect(messages.map { $0["event"]?.text ?? "" } == expected.map(\.name))
        #expect(messages.map { $0["id"]?.text } == expected.map(\.id))
        #expect(messages.map { $0["data"] ?? .null } == expected.map(\.data))
    }

    @Test("an event is framed once: every WebSocket is sent the same buffer")
    func framedOnce() {
        let frame = EventFrame(sequence: 1, id: "e0:1", name: "x", payload: Array("{}".utf8))
        let addresses = (0..<2).map { _ in frame.socketFrame.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        #expect(addresses[0] == addresses[1])
        #expect(frame.socketFrame == [0x81, 35] + Array(#"{"event":"x","id":"e0:1","data":{}}"#.utf8))
    }

    @Test("lastEventId replays missed events, or gives a state with resync if the id is unknown")
    func replay() async throws {
        for volume in [0.1, 0.2, 0.3] { rig.player.change { $0.volume = volume } }
        #expect(try await TestSocket(rig, "?lastEventId=e0:1").read().map { $0["id"]?.text } == ["e0:2", "e0:3"])
        #expect(try await TestSocket(rig, "?lastEventId=e9:1").read().map { $0["data"]?["resync"]?.bool } == [true])
    }

    @Test("a slow WebSocket receives one state with coalesced and the newest id, then single events again")
    func coalesced() async throws {
        var limits = EventBroadcast.Limits()
        limits.backlog = 4
        let rig = try TestRig(limits: limits)
        let socket = try await TestSocket(rig)
        _ = socket.read()
        for index in 1...9 { rig.player.change { $0.volume = Double(index) / 10 } }
        let messages = socket.read()
        #expect(messages.map { $0["id"]?.text } == ["e0:9"])
        #expect(messages.first?["data"]?["coalesced"]?.bool == true)
        rig.player.change { $0.volume = 1 }
        #expect(socket.read().map { $0["id"]?.text } == ["e0:10"])
    }

    // MARK: The connection

    @Test("a ping is answered after pending events by a pong with the same payload (RFC 6455, 5.5.3)")
    func ping() async throws {
        let socket = try await TestSocket(rig)
        socket.send(bytes: ClientFrame.ping(Array("hello".utf8)).bytes + ClientFrame.ping().bytes + ClientFrame.pong([1]).bytes)
        #expect(socket.read().count == 1)
        #expect(socket.pongs == [Array("hello".utf8), []])
    }

    @Test("a close frame is answered with its code, and nothing follows (RFC 6455, 5.5.1)", arguments: [CloseCode.normal, .goingAway, nil])
    func close(code: CloseCode?) async throws {
        let socket = try await TestSocket(rig)
        socket.send(bytes: ClientFrame.close(code?.rawValue).bytes + ClientFrame.text(#"{"id":"1","command":"pause"}"#).bytes)
        #expect(!socket.stream.wantsInput)
        rig.player.change { $0.volume = 0.5 }
        #expect(socket.read().allSatisfy { $0["event"] != nil })
        #expect(socket.isOver)
        #expect(socket.closeCode == code)
        #expect(rig.player.performed.isEmpty)
    }

    @Test(
        "a protocol violation closes the connection with its code",
        arguments: [
            (ClientFrame.binary([1, 2]).bytes, CloseCode.unsupportedData), (ClientFrame(0x1, [0xFF]).bytes, .invalidData),
            ([0x81, 0x01, 0x7B], .protocolError), (ClientFrame.continuation([1]).bytes, .protocolError),
            ([0x81, 0xFF, 0, 0, 0, 0, 0x10, 0, 0, 0, 1, 2, 3, 4, 5], .messageTooBig),
        ])
    func failure(bytes: [UInt8], code: CloseCode) async throws {
        let socket = try await TestSocket(rig)
        socket.send(bytes: bytes)
        _ = socket.read()
        #expect(socket.isOver)
        #expect(socket.closeCode == code)
    }

    @Test("closing the API completes a partially sent event and closes with 1001")
    func serverStops() async throws {
        let socket = try await TestSocket(rig)
        socket.readOnce(5)
        rig.api.close()
        #expect(socket.read().map { $0["event"]?.text } == ["state"])
        #expect(socket.isOver)
        #expect(socket.closeCode == .goingAway)
    }

    @Test("a client that reads nothing for a minute is dropped")
    func unread() async throws {
        let socket = try await TestSocket(rig)
        rig.time.advance(by: 15)
        #expect(rig.broadcast.streamCount == 1)
        rig.time.advance(by: 60)
        #expect(rig.broadcast.streamCount == 0)
        #expect(socket.read().isEmpty)
        #expect(socket.isOver)
    }

    @Test("a disconnected client leaves no stream in the broadcast")
    func gone() async throws {
        let socket = try await TestSocket(rig, "?tick=1")
        #expect(rig.player.observers.count == 1)
        socket.stream.close()
        #expect(rig.broadcast.streamCount == 0)
    }
}
