import PlaybackEngine
import PlaybackTesting
import Player
import Testing
@testable import RemoteControl

/// Tests of the limits of commands over the WebSocket: their number, their size and the memory of their answers.
@MainActor @Suite struct SocketLimitTests {
    let rig: TestRig
    init() throws { rig = try TestRig() }

    @Test("the number of unanswered commands of a connection is limited, and none is lost")
    func flood() async throws {
        let socket = try await TestSocket(rig)
        var sent = 0
        while socket.stream.wantsInput {
            socket.command("updatePlayer", #"{"volume":\#(Double(sent % 100) / 100)}"#)
            sent += 1
            try #require(sent <= 1000)
        }
        #expect(sent <= 64)
        // Answers that the client has not read count as commands in progress. So the limit still holds after all commands were carried out.
        await rig.until { rig.player.performed.count == sent }
        #expect(!socket.stream.wantsInput)
        for index in 1...sent { #expect(await socket.answer(to: "c\(index)")["result"] != nil) }
        #expect(socket.stream.wantsInput)
    }

    @Test("unread large answers stop the connection from taking further commands")
    func largeAnswers() async throws {
        let big = Array(repeating: UInt8(ascii: "x"), count: 400 << 10)
        let rig = try TestRig { $0.description = APIDescription(yaml: big, json: []) }
        let socket = try await TestSocket(rig)
        for _ in 0..<20 { socket.command("getContract") }
        await rig.until { !socket.stream.wantsInput }
        for index in 1...20 { #expect(await socket.answer(to: "c\(index)")["result"]?["text"]?.text?.utf8.count == big.count) }
    }

    /// Fills the queue so that its JSON document has more than a megabyte. Returns the size of the document, in bytes.
    private func fillQueue() async throws -> Int {
        let items = (0..<6000).map { "{\"url\":\"http://a.example/\($0)/\(String(repeating: "x", count: 100))\"}" }
        #expect(await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(items.joined(separator: ","))]}").status == 200)
        let size = await rig.send("GET", "/api/v1/queue").body.count
        #expect(size > SocketCommands.maximumSize)
        return size
    }

    @Test("the memory of large answers is reserved until the client has read them")
    func largeAnswerMemory() async throws {
        let size = try await fillQueue()
        let socket = try await TestSocket(rig)
        for _ in 0..<4 { socket.command("getQueue") }
        await rig.until { rig.api.unread.used >= size }
        for index in 1...4 { #expect(await socket.answer(to: "c\(index)")["result"]?["count"]?.double == 6000) }
        #expect(rig.api.unread.used == 0)
    }

    @Test("a client that disconnects releases the memory of its unread answers")
    func leftUnread() async throws {
        _ = try await fillQueue()
        let socket = try await TestSocket(rig)
        for _ in 0..<3 { socket.command("getQueue") }
        await rig.until { rig.api.unread.used > 0 }
        socket.stream.close()
        await rig.until { rig.api.unread.used == 0 }
    }

    @Test("if unread answers use all memory, a large answer is refused with a time for a retry, and its command is not performed")
    func noRoom() async throws {
        _ = try await fillQueue()
        let performed = rig.player.performed.count
        let socket = try await TestSocket(rig)
        let unread = try #require(rig.api.unread.reserve(rig.api.unread.total, for: "127.0.0.1"))
        #expect(await socket.ask("getQueue")["problem"]?["type"]?.text == "/problems/server-busy")
        #expect(await socket.ask("addToQueue", #"{"entries":[]}"#)["problem"]?["type"]?.text == "/problems/server-busy")
        let reply = await rig.send("POST", "/api/v1/queue", json: #"{"entries":[]}"#)
        #expect(reply.status == 503)
        #expect(reply.problem == "server-busy")
        #expect(reply.header("Retry-After") == "2")
        #expect(rig.player.performed.count == performed)
        // Small answers are not refused. So a client that has no memory left for large answers can still pause.
        #expect(await socket.ask("pause")["result"] != nil)
        #expect(await rig.send("POST", "/api/v1/player/pause").status == 200)
        withExtendedLifetime(unread) {}
    }

    @Test("a large message without memory for it closes the connection with 1013 (try again later); small messages are accepted")
    func noRoomForMessage() async throws {
        let socket = try await TestSocket(rig)
        let received = try #require(rig.api.received.reserve(rig.api.received.total, for: "10.0.0.9"))
        #expect(await socket.ask("pause")["result"] != nil)
        socket.send(text: String(repeating: " ", count: 17 << 10))
        _ = socket.read()
        #expect(socket.closeCode == .tryAgainLater)
        #expect(!socket.stream.wantsInput)
        withExtendedLifetime(received) {}
    }

    @Test("a message counts towards the memory budget from its arrival until it is answered")
    func messageMemory() async throws {
        let (home, rig) = try SocketCommandTests.rigWithFile()
        let socket = try await TestSocket(rig)
        let padding = String(repeating: " ", count: 100 << 10)
        let frame = ClientFrame.text(#"{"id":"x","command":"putItem","arguments":{"url":"\#(home.path)/a.flac",\#(padding)"wait":10}}"#).bytes
        socket.send(bytes: Array(frame[..<(50 << 10)]))
        #expect(rig.api.received.used == 64 << 10)
        socket.send(bytes: Array(frame[(50 << 10)...]))
        await rig.until { rig.player.pendingLoads == 1 }
        #expect(rig.api.received.used >= 100 << 10)
        rig.player.finishLoading()
        _ = await socket.answer(to: "x")
        await rig.until { rig.api.received.used == 0 }
    }

    @Test("unanswered commands count by size, so that a client cannot have many large ones in progress")
    func largeCommands() async throws {
        let (home, rig) = try SocketCommandTests.rigWithFile()
        let socket = try await TestSocket(rig)
        let padding = String(repeating: " ", count: 600 << 10)
        let load = socket.command("putItem", #"{"url":"file://\#(home.path)/a.flac",\#(padding)"wait":10}"#)
        await rig.until { rig.player.pendingLoads == 1 }
        #expect(socket.stream.wantsInput)
        socket.command("putItem", #"{"url":"file://\#(home.path)/a.flac",\#(padding)"wait":10}"#)
        #expect(!socket.stream.wantsInput)
        _ = await socket.answer(to: load)
        rig.player.finishLoading()
        _ = await socket.answer(to: "c2")
        await rig.until { socket.stream.wantsInput }
    }

    @Test("commands of a disconnected client are no longer started")
    func gone() async throws {
        let socket = try await TestSocket(rig)
        for _ in 0..<30 { socket.command("pause") }
        socket.stream.close()
        let other = try await TestSocket(rig)
        _ = await other.ask("play")
        #expect(rig.player.performed.count < 30)
    }
}
