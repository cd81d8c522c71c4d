import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Clients with event streams and WebSockets on the real program: clients that lose their connection, hostile clients, and many clients at once.
    @Suite("Events", .serialized)
    struct EventTests {
        /// Sends a random command that changes the position, or the events that report the position.
        private func act(on client: HTTPClient, _ generator: inout SeededGenerator) throws {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1: try client.command("POST", "/player/seek", ["time": Double.random(in: 0...2.5, using: &generator)])
            case 2: try client.command("POST", "/queue/next")
            case 3: try client.command("POST", "/player/pause")
            case 4: try client.command("PATCH", "/player", ["rate": [0.5, 1, 1.5, 2].randomElement(using: &generator) ?? 1])
            case 5: try client.command("PATCH", "/player", ["volume": Double.random(in: 0...1, using: &generator)])
            default: try client.command("POST", "/player/play")
            }
        }

        @Test(
            "a client that reconnects at random has the server's log, its time goes back only with an event, and it resyncs after kill -9 (seeded)",
            arguments: [false, true])
        func replay(isWebSocket: Bool) throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 3, seed: 60).frames)
            let items = Array(repeating: ["url": folder.url("noise.wav")], count: 3)
            let first = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            try first.client.command("PATCH", "/player", ["repeatMode": "all"])
            try first.client.command("PUT", "/queue", ["entries": items, "play": true])
            let rounds = TestDepth.isThorough ? 60 : 24
            var generator = SeededGenerator(seed: isWebSocket ? 62 : 61)
            let witness = try EventListener(port: first.port, query: "?tick=0.1")
            let client = LossyClient(port: first.port, isWebSocket: isWebSocket, query: "tick=0.1")
            try client.connect()
            try eventually("the first state comes") {
                try client.read(until: { !$0.isEmpty })
            }
            for round in 0..<rounds {
                for _ in 0...(round % 4) { try act(on: first.client, &generator) }
                if round % 3 != 0 { try client.read(atMost: Int.random(in: 1...40_000, using: &generator)) }
                try client.connect()
            }
            try first.client.command("POST", "/player/pause")
            let newest = try eventually("the witness has all") { () -> Int? in
                let revision = try first.client.state()["revision"] as? Int
                return witness.events.last { $0.type == "state" }.flatMap { $0.object["revision"] as? Int == revision ? $0.sequence : nil }
            }
            try eventually("the client has all") {
                try client.read(until: { events in (events.last { $0.id != nil }?.sequence ?? 0) >= newest })
            }
            // The client that was disconnected and the witness received the same events, without gaps or duplicates. (Metadata of an entry may arrive
            // after the last state, so later events are not compared.)
            let numbered = client.events.filter { ($0.sequence ?? .max) <= newest }
            let start = try #require(numbered.first?.sequence)
            #expect(numbered.map(\.sequence) == (start...newest).map { $0 })
            #expect(numbered.allSatisfy { !$0.isSnapshot })
            let types = Dictionary(uniqueKeysWithValues: witness.events.filter { $0.id != nil }.map { ($0.id ?? "", $0.type) })
            #expect(numbered.dropFirst().allSatisfy { types[$0.id ?? ""] == $0.type })
            // Both clients are checked: the one that was disconnected, and the witness, which was not.
            for events in [client.events.map { ($0.type, $0.object) }, witness.events.map { ($0.type, $0.object) }] {
                var time = ToldTime()
                for (type, object) in events { time.take(type, object) }
                #expect(time.faults == [])
                #expect(time.ticks > rounds / 2)
                #expect(time.returns > rounds / 15)
            }

            let epoch = numbered.last?.epoch
            _ = try first.end(with: SIGKILL)
            let second = try Daemon(serving: ["--output", "null"], port: first.port)
            try client.connect()
            #expect(try eventually("it resyncs") { try client.firstEvent(after: epoch) }.isSnapshot)
            _ = second
        }

        @Test("a hostile crowd does not affect other clients, and leaves no resources behind")
        func hostileCrowd() throws {
            let daemon = try Daemon(serving: ["--output", "null"])
            let listeners = [try EventListener(port: daemon.port), try EventListener(port: daemon.port, query: "?tick=1")]
            try eventually("they listen") { listeners.allSatisfy { !$0.events.isEmpty } ? true : nil }
            _ = try daemon.client.state()
            let (deafClients, slowClients, brief) = TestDepth.isThorough ? (100, 100, 1000) : (40, 40, 200)
            func crowd() throws {
                // Connects clients that never read, with small receive buffers: event streams and WebSockets in turn.
                let deaf = try (0..<deafClients).map { index in
                    let client = try TestClient(port: daemon.port, receiveBuffer: 2048)
                    let upgrade =
                        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    try client.get(index % 2 == 0 ? "/api/v1/events?tick=0.1" : "/api/v1/socket?tick=0.1", headers: index % 2 == 0 ? "" : upgrade)
                    return client
                }
                // Connects clients that send a request byte by byte, at long intervals. Below, the WebSocket clients send a part of a frame.
                let slow = try (0..<slowClients).map { _ in try TestClient(port: daemon.port) }
                for client in stride(from: 1, to: deaf.count, by: 2).map({ deaf[$0] }) {
                    try client.send(Array(ClientFrame.text("{").bytes.prefix(3)))
                }
                // Connects clients that disconnect: before a request, during it, from an event stream, or while they wait for a response.
                for index in 0..<brief {
                    let client = try TestClient(port: daemon.port)
                    switch index % 4 {
                    case 0: break
                    case 1: try client.send("GET /api/v1/pl")
                    case 2: try client.get("/api/v1/events")
                    default: try client.get("/api/v1/player?wait=30", headers: "If-None-Match: *\r\n")
                    }
                    if index % 2 == 0 { client.reset() } else { client.close() }
                    if index % 10 == 0 {
                        for client in slow { try? client.send("G") }
                        _ = try daemon.client.send("PATCH", "/api/v1/player", json: ["volume": Double(index % 100) / 100])
                    }
                }
                #expect(try daemon.client.send("GET", "/healthz").status == 200)
                for client in deaf + slow { client.close() }
            }
            // The first crowd of clients makes the program allocate memory that it keeps: stacks, pools, threads. So growth is measured after it.
            try crowd()
            try eventually("they are gone", within: 60) { try daemon.descriptors() < 100 ? true : nil }
            let before = (try daemon.descriptors(), try daemon.memory())
            for _ in 0..<2 { try crowd() }
            try eventually("they leave no descriptor behind", within: 60) { try daemon.descriptors() <= before.0 ? true : nil }
            let growth = try daemon.memory() - before.1
            #expect(growth < 4 << 20, "\(growth) bytes stay")
            // The well-behaved clients have missed no event.
            let newest = try eventually("the others have all") { () -> Int? in
                let revision = try daemon.client.state()["revision"] as? Int
                let last = listeners.map { $0.events.last { $0.type == "state" } }
                return last.allSatisfy { $0?.object["revision"] as? Int == revision } ? last[0]?.sequence : nil
            }
            for listener in listeners {
                let sequences = listener.events.compactMap(\.sequence)
                #expect(sequences == Array((sequences.first ?? 0)...newest))
            }
        }
    }
}

extension EventListener.Event {
    /// The number of the event: the part of its id after the colon; nil if the event has no id.
    var sequence: Int? { id.flatMap { Int($0.split(separator: ":").last ?? "") } }
}
