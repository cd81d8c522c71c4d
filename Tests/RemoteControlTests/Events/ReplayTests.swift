import PlaybackTesting
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Checks which events a client receives, and in which order, if its connection breaks while commands run. The breaks follow from a seed, so that a
/// failure can be repeated.
@MainActor @Suite struct ReplayTests {
    /// An event that a client has received, from the event stream or the WebSocket.
    struct Event: Equatable {
        var id: String?
        var name: String
        var data: JSONValue
        var sequence: Int? { id.flatMap { Int($0.split(separator: ":").last ?? "") } }
        /// Whether the event is a complete state, which the server sends in place of events that the client has missed.
        var isSnapshot: Bool { data["resync"]?.bool == true || data["coalesced"]?.bool == true }
    }

    enum Transport: CaseIterable { case serverSentEvents, webSocket }

    /// A client that the test can disconnect after any byte. It reconnects with the id of the last event that it received.
    @MainActor final class Client {
        private let rig: TestRig
        private let transport: Transport
        private var stream: TestStream?
        private var socket: TestSocket?
        private var lastID: String?

        init(_ rig: TestRig, _ transport: Transport) async throws {
            self.rig = rig
            self.transport = transport
            try await connect()
        }

        func connect() async throws {
            stream?.stream.close()
            socket?.stream.close()
            let query = "?tick=0.5" + (lastID.map { "&lastEventId=" + $0 } ?? "")
            switch transport {
            case .serverSentEvents: stream = try await rig.events(query)
            case .webSocket: socket = try await TestSocket(rig, query)
            }
        }

        /// Reads at most `count` bytes. Returns the events that are complete, and keeps the rest.
        func read(_ count: Int) -> [Event] {
            var events: [Event] = []
            if let stream {
                stream.readBytes(count)
                events = stream.events().map { Event(id: $0.id, name: $0.name, data: $0.data) }
            } else if let socket {
                socket.readOnce(count)
                events = socket.takeEvents().map { Event(id: $0["id"]?.text, name: $0["event"]?.text ?? "", data: $0["data"] ?? .null) }
            }
            lastID = events.last { $0.id != nil }?.id ?? lastID
            return events
        }

        func readAll() -> [Event] {
            var events: [Event] = []
            while true {
                let more = read(1 << 20)
                if more.isEmpty { return events }
                events += more
            }
        }
    }

    /// Random playback and random commands of the fake player: progress, jumps, new items, changed settings.
    @MainActor struct Playback {
        let rig: TestRig
        var time = 0.0
        var item = 0

        /// Sets the player's heard position to `time`.
        private func hear() { rig.player.heard.withLock { $0 = PlayerTime(currentTime: time, rate: 1, hostTime: time) } }

        mutating func happen(_ generator: inout SeededGenerator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                time = Double.random(in: 0...1000, using: &generator)
                rig.player.emit(.timeJumped(itemID: "e\(item)", time: time))
                hear()
                rig.player.change { $0.anchor.time = time }
            case 1:
                item += 1
                time = 0
                hear()
                rig.player.change {
                    $0.currentItem = PlayerState.Item(id: "e\(item)", url: "file:///\(item)")
                    $0.anchor.time = 0
                }
            case 2: rig.player.emit(.rateDidChange(rate: 1, reason: .setRateCalled, origin: "a"))
            case 3, 4: rig.player.change { $0.volume = Double.random(in: 0...1, using: &generator) }
            default:
                time += 0.5
                rig.tick(0.5, PlayerTime(currentTime: time, rate: 1, hostTime: time))
            }
        }
    }

    /// The events that one client has received. Each is checked on arrival: its number, and that the time goes back only after an announcement.
    struct Account {
        var received: [Event] = []
        var snapshots = 0
        private var last = 0
        private var time = 0.0
        private var item: String?

        mutating func take(_ events: [Event]) {
            for event in events {
                if let sequence = event.sequence {
                    if event.isSnapshot {
                        snapshots += 1
                        if sequence < last { Issue.record("a snapshot is older than the last event") }
                    } else if sequence == 0 {
                        if last != 0 { Issue.record("a state with id 0 follows other events") }
                    } else {
                        if sequence != last + 1 { Issue.record("\(event.name) \(sequence) follows \(last)") }
                        received.append(event)
                    }
                    last = sequence
                }
                switch event.name {
                case "timeJumped": time = event.data["time"]?.double ?? 0
                case "state":
                    let current = event.data["currentItem"]?["id"]?.text
                    if current != item || event.isSnapshot { time = 0 }
                    item = current
                case "tick":
                    let now = event.data["currentTime"]?.double ?? -1
                    if now < time { Issue.record("time moves back without a jump: \(time), \(now)") }
                    time = now
                default: break
                }
            }
        }
        var end: Int { last }
    }

    @Test(
        "a client that is disconnected at random, many times, receives exactly the server's log, and time goes back only with an event (seeded)",
        arguments: Transport.allCases)
    func replay(transport: Transport) async throws {
        let rig = try TestRig()
        var generator = SeededGenerator(seed: 21)
        var playback = Playback(rig: rig)
        // The witness, a client that is never disconnected, records all numbered events.
        let witness = try await Client(rig, .serverSentEvents)
        let client = try await Client(rig, transport)
        var log: [Event] = []
        var account = Account()
        account.take(client.readAll())
        let count = TestDepth.isThorough ? 1000 : 150
        for _ in 0..<count {
            for _ in 0..<Int.random(in: 0...5, using: &generator) { playback.happen(&generator) }
            log += witness.readAll()
            account.take(client.read(Int.random(in: 1...4000, using: &generator)))
            try await client.connect()
        }
        account.take(client.readAll())
        let numbered = log.filter { ($0.sequence ?? 0) > 0 }
        #expect(numbered.map(\.sequence) == Array(1...rig.broadcast.newestSequence))
        #expect(account.received == numbered)
        #expect(account.snapshots == 0)
        #expect(rig.broadcast.newestSequence > count)
    }

    @Test(
        "if the log is short or the client slow, a state with resync or coalesced replaces missed events; all others match the log (seeded)",
        arguments: Transport.allCases)
    func forgetful(transport: Transport) async throws {
        var limits = EventBroadcast.Limits()
        limits.log.events = 24
        limits.backlog = 12
        let rig = try TestRig(limits: limits)
        var generator = SeededGenerator(seed: 22)
        var playback = Playback(rig: rig)
        let witness = try await Client(rig, .serverSentEvents)
        let client = try await Client(rig, transport)
        var log: [Int: Event] = [:]
        var account = Account()
        account.take(client.readAll())
        let count = TestDepth.isThorough ? 400 : 80
        for _ in 0..<count {
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                playback.happen(&generator)
                for event in witness.readAll() { if let sequence = event.sequence { log[sequence] = event } }
            }
            account.take(client.read(Int.random(in: 1...20000, using: &generator)))
            if Bool.random(using: &generator) { try await client.connect() }
        }
        account.take(client.readAll())
        #expect(account.end == rig.broadcast.newestSequence)
        #expect(account.received.allSatisfy { log[$0.sequence ?? 0] == $0 })
        #expect(account.snapshots > count / 14)
        #expect(account.received.count > count)
    }

    @Test("after a restart, the id of another epoch gives one state with resync, over either transport", arguments: Transport.allCases)
    func restart(transport: Transport) async throws {
        let rig = try TestRig { $0.epoch = "e1" }
        rig.player.change { $0.volume = 0.5 }
        let stream = try await rig.events("?lastEventId=e0:7")
        let socket = try await TestSocket(rig, "?lastEventId=e0:7")
        switch transport {
        case .serverSentEvents: #expect(stream.read().map { $0.data["resync"]?.bool } == [true])
        case .webSocket: #expect(socket.read().map { $0["data"]?["resync"]?.bool } == [true])
        }
    }
}
