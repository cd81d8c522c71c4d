import PlaybackEngine
import PlaybackTesting
import Playlist
import Synchronization
import Testing

@testable import RemoteControl

/// The rules under "Events" of remote-api.md, one by one.
@MainActor @Suite struct EventStreamTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func setVolume(_ value: Double) { rig.player.change { $0.volume = value } }

    // MARK: The beginning

    @Test("a new client first gets the state, whole, with the current id")
    func snapshot() async throws {
        setVolume(0.5)
        let events = try await rig.events().read()
        #expect(events.count == 1)
        #expect(events.first?.name == "state")
        #expect(events.first?.id == "e0:1")
        #expect(events.first?.retry == "1000")
        #expect(events.first?.data["volume"]?.double == 0.5)
        #expect(events.first?.data["revision"]?.double == 2)
        #expect(events.first?.data["changed"]?.elements.isEmpty == true)
        #expect(events.first?.data["hostTime"]?.double == 8000)
        #expect(events.first?.data["resync"] == nil)
        #expect(events.first?.data["coalesced"] == nil)
    }

    @Test("before anything has happened the snapshot has the id 0, from which a replay is complete")
    func firstID() async throws {
        #expect(try await rig.events().read().first?.id == "e0:0")
        setVolume(0.5)
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:0")]).read().map(\.id) == ["e0:1"])
    }

    @Test("the snapshot is that of the moment at which it is read")
    func lateSnapshot() async throws {
        let client = try await rig.events()
        setVolume(0.5)
        rig.time.advance(by: 1)
        let events = client.read()
        #expect(events.map(\.id) == ["e0:1"])
        #expect(events.first?.data["volume"]?.double == 0.5)
        #expect(events.first?.data["hostTime"]?.double == 8001)
    }

    @Test("with a Last-Event-ID that is still kept: only what was missed, in order, no snapshot")
    func replay() async throws {
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        let events = try await rig.events(headers: [("Last-Event-ID", "e0:1")]).read()
        #expect(events.map(\.id) == ["e0:2", "e0:3"])
        #expect(events.map { $0.data["volume"]?.double } == [0.2, 0.3])
        #expect(events.allSatisfy { $0.data["resync"] == nil })
    }

    @Test("a client that missed nothing gets nothing until something happens")
    func replayNothing() async throws {
        setVolume(0.1)
        let client = try await rig.events(headers: [("Last-Event-ID", "e0:1")])
        #expect(client.read().isEmpty)
        setVolume(0.2)
        #expect(client.read().map(\.id) == ["e0:2"])
    }

    @Test(
        "with any other Last-Event-ID: the state, with resync",
        arguments: ["e0:99", "e9:1", "e0:-1", "e0:x", "e0:", "e0", "1", ":", "e0:1 ", "e0:99999999999999999999", "\u{FFFD}"])
    func resync(_ id: String) async throws {
        setVolume(0.1)
        let events = try await rig.events(headers: [("Last-Event-ID", id)]).read()
        #expect(events.count == 1)
        #expect(events.first?.name == "state")
        #expect(events.first?.id == "e0:1")
        #expect(events.first?.data["resync"]?.bool == true)
    }

    @Test("an id that was forgotten leads to resync")
    func forgotten() async throws {
        var limits = EventFeed.Limits()
        limits.log.events = 4
        let rig = try TestRig(limits: limits)
        for volume in 1...10 { rig.player.change { $0.volume = Double(volume) / 100 } }
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:6")]).read().map(\.id) == ["e0:7", "e0:8", "e0:9", "e0:10"])
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:5")]).read().map(\.data["resync"]?.bool) == [true])
    }

    @Test("lastEventId in the query does the same; the field goes before it; empty is none")
    func queryID() async throws {
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        #expect(try await rig.events("?lastEventId=e0:2").read().map(\.id) == ["e0:3"])
        #expect(try await rig.events("?lastEventId=e0%3A2", headers: [("Last-Event-ID", "e0:1")]).read().map(\.id) == ["e0:2", "e0:3"])
        #expect(try await rig.events("?lastEventId=").read().map(\.data["resync"]?.bool) == [nil])
    }

    @Test("the answer is an event stream that nobody keeps")
    func headers() async throws {
        let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events"))
        let reply = Reply(response)
        #expect(reply.status == 200)
        #expect(reply.header("Content-Type") == "text/event-stream")
        #expect(reply.header("Cache-Control") == "no-store")
        #expect(reply.header("X-Accel-Buffering") == "no")
    }

    // MARK: Numbered events

    @Test("exactly one state for each revision, with the names of what changed")
    func states() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.volume = 0.5 }
        rig.player.change { $0.volume = 0.5 }
        rig.player.change {
            $0.anchor.time = 3
            $0.rate = 1
            $0.timeControlStatus = .playing
        }
        let events = client.read()
        #expect(events.map(\.name) == ["state", "state"])
        #expect(events.map { $0.data["revision"]?.double } == [2, 3])
        #expect(events.map { $0.data["changed"]?.elements.compactMap(\.text) ?? [] } == [["volume"], ["rate", "timeControlStatus", "anchor"]])
        #expect(events.allSatisfy { $0.retry == nil })
    }

    @Test("an item that comes and goes is a change of currentItem")
    func itemChange() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.player.change { $0.currentItem = nil }
        #expect(client.read().map { $0.data["changed"]?.elements.compactMap(\.text) ?? [] } == [["currentItem"], ["currentItem"]])
    }

    @Test("each event of the player has its type, its data and a host time, and comes before the state that shows it")
    func playerEvents() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.time.advance(by: 2)
        rig.player.emit(.rateDidChange(rate: 1.5, reason: .setRateCalled, origin: "kitchen"))
        rig.player.change { $0.rate = 1.5 }
        rig.player.emit(.timeJumped(itemID: "e1", time: 42.5))
        rig.player.emit(.didPlayToEndTime(itemID: "e1"))
        rig.player.emit(.failedToPlayToEndTime(itemID: "e2", PlayerState.Failure(code: "c", message: "m")))
        rig.player.emit(.playbackStalled(itemID: "e3"))
        let events = client.read()
        #expect(events.map(\.name) == ["rateDidChange", "state", "timeJumped", "didPlayToEndTime", "failedToPlayToEndTime", "playbackStalled"])
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(events.allSatisfy { $0.data["hostTime"]?.double == 8002 })
        #expect(events[0].data["rate"]?.double == 1.5)
        #expect(events[0].data["reason"]?.text == "setRateCalled")
        #expect(events[0].data["origin"]?.text == "kitchen")
        #expect(events[2].data["time"]?.double == 42.5)
        #expect(events[4].data["error"]?["code"]?.text == "c")
        #expect(events.map { $0.data["itemId"]?.text } == [nil, nil, "e1", "e1", "e2", "e3"])
    }

    @Test("what a medium says of itself, interruptions and routes are numbered, have their data, and are replayed")
    func sessionEvents() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.emit(
            .metadataDidChange(PlayerState.Item(id: "e1", url: "file:///a", title: "Song", artist: "Somebody", album: "Songs", hasArtwork: true)))
        rig.player.emit(.metadataDidChange(PlayerState.Item(id: "e2", url: "file:///b")))
        rig.player.emit(.interruption(.began(reason: .routeDisconnected)))
        rig.player.emit(.interruption(.ended(shouldResume: true)))
        let speaker = AudioSessionState.Port(portType: "Speaker", portName: "Built-in", uid: "s")
        rig.player.emit(.routeDidChange(AudioSessionState.RouteChange(reason: .override, outputs: [speaker], previousOutputs: [])))
        let events = client.read()
        #expect(events.map(\.name) == ["metadata", "metadata", "interruption", "interruption", "routeChange"])
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(events.allSatisfy { $0.data["hostTime"]?.double == 8000 })
        for event in events { #expect(Contract.shared.errors(event.data, Contract.shared.events?[event.name], at: "") == [], "\(event.name)") }
        #expect(events[0].data.names == ["itemId", "title", "artist", "album", "hasArtwork", "hostTime"])
        #expect(events[0].data["artist"]?.text == "Somebody" && events[0].data["hasArtwork"]?.bool == true)
        #expect(events[1].data.names == ["itemId", "hasArtwork", "hostTime"])
        #expect(events[2].data["type"]?.text == "began" && events[2].data["reason"]?.text == "routeDisconnected")
        #expect(events[3].data["type"]?.text == "ended" && events[3].data["shouldResume"]?.bool == true && events[3].data["reason"] == nil)
        #expect(events[4].data["reason"]?.text == "override")
        #expect(events[4].data["currentRoute"]?["outputs"]?[0]?["portType"]?.text == "Speaker")
        #expect(events[4].data["previousRoute"]?["outputs"]?.elements.isEmpty == true)
        let replayed = try await rig.events(headers: [("Last-Event-ID", "e0:2")]).read()
        #expect(replayed == Array(events[2...]))
    }

    @Test("a command over HTTP gives one rateDidChange with its client's name, for every client alike")
    func command() async throws {
        let clients = [try await rig.events(), try await rig.events()]
        for client in clients { _ = client.read() }
        _ = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Client", "kitchen")])
        _ = await rig.send("POST", "/api/v1/player/play", headers: [("Tonearm-Client", "kitchen")])
        let received = clients.map { $0.read() }
        #expect(received[0] == received[1])
        #expect(received[0].map(\.name) == ["rateDidChange", "state"])
        #expect(received[0][0].data["origin"]?.text == "kitchen")
    }

    @Test("an event is encoded once: every client is sent the same bytes")
    func encodedOnce() {
        let feed = EventFeed(
            snapshot: PlayerSnapshot(PlayerState(), epoch: "e0", revision: 1), epoch: "e0", clock: rig.time, limits: EventFeed.Limits(),
            runner: { $0() },
            demandDidChange: {})
        feed.append(name: "x", payload: Array("{}".utf8))
        var cursors = [EventCursor(sequence: 0), EventCursor(sequence: 0)]
        let addresses = cursors.indices.map { index in
            feed.next(&cursors[index], leases: [])?.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(addresses[0] != nil)
        #expect(addresses[0] == addresses[1])
    }

    // MARK: Reading

    @Test("a stream is read in pieces of any size, with the same bytes")
    func pieces() async throws {
        let whole = try await rig.events()
        let pieces = try await rig.events()
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        while let count = pieces.readBytes(7), count > 0 {}
        #expect(pieces.events() == whole.read())
        #expect(pieces.unparsed.isEmpty)
    }

    @Test("the end of the server ends every stream, also one that comes later")
    func close() async throws {
        let client = try await rig.events()
        _ = client.read()
        let wakes = client.wakeCount
        rig.api.close()
        #expect(client.wakeCount > wakes)
        #expect(client.readBytes() == nil)
        let late = try await rig.events()
        #expect(late.readBytes() == nil)
        #expect(rig.time.timerCount == 0)
    }

    @Test("a client is woken when something happens, once for many events")
    func wakes() async throws {
        let client = try await rig.events()
        _ = client.read()
        let before = client.wakeCount
        rig.runner.hold()
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        #expect(rig.runner.heldCount == 1)
        #expect(client.wakeCount == before)
        rig.runner.release()
        #expect(client.wakeCount == before + 1)
        #expect(client.read().count == 3)
        setVolume(0.4)
        #expect(client.wakeCount == before + 2)
    }

    @Test("a server that can wake all its clients at once is asked to, by the writer itself")
    func wakeEveryone() async throws {
        let count = Mutex(0)
        rig.api.serverDidStart { count.withLock { $0 += 1 } }
        setVolume(0.1)
        #expect(count.withLock { $0 } == 0)
        let client = try await rig.events()
        _ = client.read()
        let before = client.wakeCount
        rig.runner.hold()
        setVolume(0.2)
        setVolume(0.3)
        #expect(count.withLock { $0 } == 2)
        #expect(rig.runner.heldCount == 0)
        #expect(client.wakeCount == before)
        #expect(client.read().map(\.name) == ["state", "state"])
    }

    @Test("a tick wakes only those who asked for it, unless they are most")
    func wakeForTick() async throws {
        let count = Mutex(0)
        rig.api.serverDidStart { count.withLock { $0 += 1 } }
        let ticking = try await rig.events("?tick=1")
        let others = [try await rig.events(), try await rig.events()]
        for client in others + [ticking] { _ = client.read() }
        let before = (ticking.wakeCount, others.map(\.wakeCount))
        rig.tick(1, PlayerTime(currentTime: 1, rate: 1, hostTime: 1))
        #expect(count.withLock { $0 } == 0)
        #expect(ticking.wakeCount == before.0 + 1)
        #expect(others.map(\.wakeCount) == before.1)
        for client in others { client.stream.close() }
        rig.tick(1, PlayerTime(currentTime: 2, rate: 1, hostTime: 1))
        #expect(count.withLock { $0 } == 1)
    }

    @Test("threads that read while the player changes get every event, in order")
    func concurrentReaders() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 10_000
        let rig = try TestRig(limits: limits)
        let last = 500
        var readers: [Task<[Int], Never>] = []
        for _ in 0..<4 {
            let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1", headers: [("Last-Event-ID", "e0:0")]))
            guard case .events(let stream) = response.body else { throw TestRig.NoStream() }
            stream.open(wake: {})
            readers.append(
                Task.detached {
                    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
                    defer { buffer.deallocate() }
                    var text: [UInt8] = []
                    let end = Array("id: e0:\(last)\n".utf8)
                    var isComplete = false
                    while !isComplete {
                        guard let count = stream.read(into: buffer), count > 0 else {
                            await Task.yield()
                            continue
                        }
                        text.append(contentsOf: buffer[..<count])
                        isComplete = !text.suffix(count + end.count).split(separator: end, omittingEmptySubsequences: false).dropFirst().isEmpty
                    }
                    stream.close()
                    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
                        $0.hasPrefix("id: e0:") ? Int($0.dropFirst(7)) : nil
                    }
                })
        }
        for index in 1...last {
            rig.player.change { $0.volume = Double(index) / 1000 }
            if index % 50 == 0 { rig.tick(1, PlayerTime(currentTime: Double(index), rate: 1, hostTime: 1)) }
            await Task.yield()
        }
        for reader in readers { #expect(await reader.value == Array(1...last)) }
    }

    @Test("a client that is gone is not woken, and nothing of it stays")
    func gone() async throws {
        let client = try await rig.events("?tick=1")
        #expect(rig.feed.streamCount == 1)
        let before = client.wakeCount
        client.stream.close()
        setVolume(0.1)
        #expect(client.wakeCount == before)
        #expect(rig.feed.streamCount == 0)
    }

    // MARK: Slow clients

    @Test("a client that keeps reading gets every event, however many")
    func everyEvent() async throws {
        let client = try await rig.events()
        _ = client.read()
        var sequences: [Int?] = []
        for index in 1...3000 {
            setVolume(Double(index) / 3000)
            if index % 200 == 0 { sequences += client.read().map(\.sequence) }
        }
        #expect(sequences == Array(1...3000))
    }

    @Test("one that falls too far behind gets one state with coalesced and the newest id, then goes on")
    func coalesced() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 5
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        let fast = try await rig.events()
        _ = (slow.read(), fast.read())
        var seen = 0
        for index in 1...6 {
            rig.player.change { $0.volume = Double(index) / 100 }
            seen += fast.read().count
        }
        let events = slow.read()
        #expect(events.map(\.name) == ["state"])
        #expect(events.first?.id == "e0:6")
        #expect(events.first?.data["coalesced"]?.bool == true)
        #expect(events.first?.data["volume"]?.double == 0.06)
        #expect(seen == 6)
        for index in 7...11 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(slow.read().map(\.sequence) == [7, 8, 9, 10, 11])
    }

    @Test("a frame of which a part was sent is finished before the coalesced state")
    func coalescedInside() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 2
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        _ = slow.read()
        rig.player.change { $0.volume = 0.1 }
        #expect(slow.readBytes(10) == 10)
        for index in 2...9 { rig.player.change { $0.volume = Double(index) / 100 } }
        let events = slow.read()
        #expect(events.map(\.sequence) == [1, 9])
        #expect(events.map { $0.data["coalesced"]?.bool } == [nil, true])
    }

    @Test("a replay may be longer than the backlog of a slow client")
    func longReplay() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 5
        let rig = try TestRig(limits: limits)
        for index in 1...20 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:1")]).read().map(\.sequence) == Array(2...20))
    }

    @Test("a client that falls out of the ring while it is slow is coalesced too")
    func fellOut() async throws {
        var limits = EventFeed.Limits()
        limits.log.events = 4
        limits.backlog = 100
        let rig = try TestRig(limits: limits)
        let slow = try await rig.events()
        _ = slow.read()
        for index in 1...10 { rig.player.change { $0.volume = Double(index) / 100 } }
        #expect(slow.read().map(\.data["coalesced"]?.bool) == [true])
    }

    @Test("one that reads nothing for a minute is dropped; one that reads is not")
    func dropped() async throws {
        let silent = try await rig.events()
        let reader = try await rig.events()
        _ = (silent.read(), reader.read())
        setVolume(0.5)
        // Noticed at the first look, after 15 s.
        for _ in 0..<4 {
            rig.time.advance(by: 15)
            _ = reader.read()
        }
        #expect(rig.feed.streamCount == 2)
        rig.time.advance(by: 16)
        #expect(rig.feed.streamCount == 1)
        #expect(silent.readBytes() == nil)
        #expect(!reader.read().isEmpty)
    }

    @Test("one that has taken a part of an event and then nothing for a minute is dropped")
    func droppedInside() async throws {
        let client = try await rig.events()
        client.readBytes(10)
        rig.time.advance(by: 74)
        #expect(rig.feed.streamCount == 1)
        rig.time.advance(by: 2)
        #expect(rig.feed.streamCount == 0)
    }

    @Test("a client that has read everything is never dropped for silence of the player")
    func idle() async throws {
        let client = try await rig.events()
        for _ in 0..<100 {
            rig.time.advance(by: 15)
            _ = client.read()
        }
        #expect(rig.feed.streamCount == 1)
        #expect(!client.isOver)
    }

    // MARK: Heartbeats

    @Test("a named heartbeat every 15 s, without id, the same for all, and no timer without a client")
    func heartbeat() async throws {
        #expect(rig.time.timerCount == 0)
        let client = try await rig.events()
        _ = client.read()
        #expect(rig.time.timerCount == 1)
        rig.time.advance(by: 14.9)
        #expect(client.read().isEmpty)
        for beat in 1...3 {
            rig.time.advance(by: beat == 1 ? 0.1 : 15)
            let events = client.read()
            #expect(events.map(\.name) == ["heartbeat"])
            #expect(events.first?.id == nil)
            #expect(events.first?.data["hostTime"]?.double == 8000 + Double(beat) * 15)
        }
        client.stream.close()
        rig.time.run()
        #expect(rig.time.timerCount == 0)
    }

    @Test("a heartbeat is never replayed, and moves no id")
    func heartbeatNotReplayed() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.time.advance(by: 15)
        #expect(client.read().map(\.name) == ["heartbeat"])
        let other = try await rig.events(headers: [("Last-Event-ID", "e0:0")])
        #expect(other.read().isEmpty)
        #expect(try await rig.events().read().map(\.name) == ["state"])
    }

    // MARK: Ticks

    @Test("no tick is made when nobody asks, one observer for each interval, none when the last is gone")
    func tickDemand() async throws {
        _ = try await rig.events()
        #expect(rig.player.observers.isEmpty)
        var clients: [TestStream?] = []
        for query in ["?tick=0.5", "?tick=0.5", "?tick=0.50", "?tick=1"] { clients.append(try await rig.events(query)) }
        #expect(rig.player.observers.map(\.interval) == [0.5, 1])
        for client in clients.prefix(3) { client?.stream.close() }
        clients.replaceSubrange(0..<3, with: [nil, nil, nil])
        rig.time.run()
        #expect(rig.player.observers.map(\.interval) == [1])
    }

    @Test("a tick goes to those who asked for it, without id, with the time that is heard")
    func tick() async throws {
        let half = try await rig.events("?tick=0.5")
        let one = try await rig.events("?tick=1")
        let none = try await rig.events()
        _ = (half.read(), one.read(), none.read())
        let wakes = none.wakeCount
        rig.tick(0.5, PlayerTime(currentTime: 12.5, rate: 1, hostTime: 8123.5))
        let events = half.read()
        #expect(events.map(\.name) == ["tick"])
        #expect(events.first?.id == nil)
        #expect(events.first?.data == (try JSONParser.parse(Array(#"{"currentTime":12.5,"rate":1,"hostTime":8123.5}"#.utf8))))
        #expect(one.read().isEmpty)
        #expect(none.read().isEmpty)
        #expect(none.wakeCount == wakes)
    }

    @Test("ticks keep their place among the events, and never take a client's time back")
    func tickOrder() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        rig.tick(0.5, PlayerTime(currentTime: 10, rate: 1, hostTime: 1))
        rig.player.emit(.timeJumped(itemID: "e1", time: 2))
        rig.player.change { $0.anchor.time = 2 }
        #expect(client.read().map(\.name) == ["tick", "timeJumped", "state"])
        rig.player.change { $0.anchor.time = 3 }
        rig.tick(0.5, PlayerTime(currentTime: 3, rate: 1, hostTime: 2))
        #expect(client.read().map(\.name) == ["state", "tick"])
    }

    @Test("where the time begins to go otherwise, a tick tells so behind the state: at a start, and where a pause has come to rest")
    func tickAtAnchor() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        rig.player.heard.withLock { $0 = PlayerTime(currentTime: 7.5, rate: 0, hostTime: 3) }
        rig.player.change { $0.anchor = PlayerState.Anchor(time: 7.5, hostTime: 3, rate: 0) }
        rig.time.run()
        let events = client.read()
        #expect(events.map(\.name) == ["state", "tick"])
        #expect(events.last?.data["rate"]?.double == 0)
        #expect(events.last?.data["currentTime"]?.double == 7.5)
        rig.player.change { $0.volume = 0.5 }
        rig.time.run()
        #expect(client.read().map(\.name) == ["state"])
    }

    @Test("a tick comes behind the jump and the state of its turn, with the time that is heard then")
    func tickAfterJump() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        rig.player.tick(0.5, PlayerTime(currentTime: 2, rate: 1, hostTime: 1))
        rig.player.emit(.timeJumped(itemID: "e1", time: 2))
        // The player tells of its state at the end of the turn.
        rig.time.async { [player = rig.player] in player.change { $0.anchor.time = 2 } }
        rig.player.heard.withLock { $0.currentTime = 2.25 }
        rig.time.run()
        let events = client.read()
        #expect(events.map(\.name) == ["timeJumped", "state", "tick"])
        #expect(events.last?.data["currentTime"]?.double == 2.25)
    }

    @Test("a slow client gets the newest tick only, and none from before its coalesced state")
    func tickCoalescing() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 2
        let rig = try TestRig(limits: limits)
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        for time in 1...5 { rig.tick(0.5, PlayerTime(currentTime: Double(time), rate: 1, hostTime: 1)) }
        #expect(client.read().map { $0.data["currentTime"]?.double } == [5])
        rig.tick(0.5, PlayerTime(currentTime: 6, rate: 1, hostTime: 1))
        for index in 1...5 { rig.player.change { $0.anchor.time = Double(index) } }
        #expect(client.read().map(\.name) == ["state"])
        rig.tick(0.5, PlayerTime(currentTime: 7, rate: 1, hostTime: 1))
        #expect(client.read().map(\.name) == ["tick"])
    }

    @Test("a tick is never replayed to a new client")
    func tickNotReplayed() async throws {
        let first = try await rig.events("?tick=0.5")
        _ = first.read()
        rig.tick(0.5, PlayerTime(currentTime: 5, rate: 1, hostTime: 1))
        #expect(try await rig.events("?tick=0.5").read().map(\.name) == ["state"])
    }

    @Test("an interval that cannot be is refused", arguments: ["0.09", "0", "-1", "3601", "x", "", "NaN", "1e400", "0,5"])
    func badTick(_ text: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?tick=" + text)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "tick")
    }

    // MARK: Boundaries

    @Test("a crossed boundary goes to those who asked for it, without id, behind what happened before it")
    func boundary() async throws {
        let client = try await rig.events("?boundary=20.5,10")
        let none = try await rig.events("?tick=1")
        _ = (client.read(), none.read())
        #expect(rig.player.observers.map(\.times).contains([10, 20.5]))
        rig.player.cross(20.5, PlayerTime(currentTime: 20.504, rate: 1, hostTime: 8123.5))
        rig.player.change { $0.anchor.time = 20.5 }
        rig.time.run()
        let events = client.read()
        #expect(events.map(\.name) == ["state", "boundary"])
        #expect(events.last?.id == nil)
        #expect(events.last?.data == (try JSONParser.parse(Array(#"{"currentTime":20.504,"rate":1,"hostTime":8123.5}"#.utf8))))
        #expect(none.read().map(\.name) == ["state", "tick"])
        client.stream.close()
    }

    @Test("each crossing is told to a client that has not read yet, the newest sixteen of them")
    func boundaries() async throws {
        let client = try await rig.events("?boundary=1")
        _ = client.read()
        for time in 1...20 {
            rig.player.cross(1, PlayerTime(currentTime: Double(time), rate: 1, hostTime: 1))
            rig.time.run()
        }
        #expect(client.read().map { $0.data["currentTime"]?.double } == (5...20).map(Double.init))
        #expect(client.read().isEmpty)
    }

    @Test("no crossing from before a coalesced state is told behind it")
    func boundaryCoalescing() async throws {
        var limits = EventFeed.Limits()
        limits.backlog = 2
        let rig = try TestRig(limits: limits)
        let client = try await rig.events("?boundary=1&tick=1")
        _ = client.read()
        rig.player.cross(1, PlayerTime(currentTime: 1, rate: 1, hostTime: 1))
        rig.time.run()
        for index in 1...5 { rig.player.change { $0.anchor.time = Double(index) } }
        rig.player.cross(1, PlayerTime(currentTime: 2, rate: 1, hostTime: 1))
        rig.time.run()
        #expect(client.read().map(\.name) == ["state", "tick", "boundary"])
    }

    @Test("the same times, in any order, are one wish; other clients' are others")
    func boundarySharing() async throws {
        let clients = [try await rig.events("?boundary=1,2"), try await rig.events("?boundary=2,1,1"), try await rig.events("?boundary=3")]
        #expect(rig.player.observers.map(\.times).sorted { $0[0] < $1[0] } == [[1, 2], [3]])
        for client in clients { client.stream.close() }
    }

    @Test(
        "boundaries that are no numbers, outside the range, or too many, are refused",
        arguments: ["", "x", "1,", ",1", "1;2", "-1", "1e10", "NaN", "1%5D,%5B2", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "%5B1%5D", "null"])
    func badBoundary(_ text: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?boundary=" + text)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "boundary")
    }

    @Test("the number of different intervals is bounded, that of their users is not")
    func tickLimit() async throws {
        var limits = EventFeed.Limits()
        limits.watches = 2
        let rig = try TestRig(limits: limits)
        var clients = [try await rig.events("?tick=1"), try await rig.events("?tick=2"), try await rig.events("?tick=2")]
        let refused = await rig.send("GET", "/api/v1/events?tick=3")
        #expect(refused.status == 429)
        #expect(refused.problem == "too-many-intervals")
        clients.removeFirst().stream.close()
        clients.append(try await rig.events("?tick=3"))
        rig.time.run()
        #expect(rig.player.observers.map(\.interval).sorted() == [2, 3])
    }

    @Test("the clients of one other machine have a part of the intervals, those of this machine all of them")
    func tickLimitOfAddress() async throws {
        var limits = EventFeed.Limits()
        limits.watchesOfAddress = 2
        let rig = try TestRig(limits: limits)
        let feed = rig.feed
        let phone = HTTPPeer(address: "192.168.0.7", isLoopback: false)
        func lease(_ seconds: Double, _ peer: HTTPPeer) throws -> WatchLease? {
            feed.lease(.tick(try #require(TickInterval(seconds: seconds))), for: peer)
        }
        let other = try lease(9, HTTPPeer(address: "192.168.0.8", isLoopback: false))
        var leases = [try lease(1, phone), try lease(2, phone), try lease(2, phone)]
        #expect(leases.allSatisfy { $0 != nil } && other != nil)
        #expect(try lease(3, phone) == nil)
        #expect(try lease(9, phone) == nil, "also where another has it")
        for interval in 1...10 { #expect(try lease(Double(interval), .loopback) != nil) }
        leases.removeLast()
        #expect(try lease(3, phone) == nil, "the second client has it still")
        leases.removeLast()
        #expect(try lease(3, phone) != nil)
        let reply = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1", peer: phone)))
        #expect(reply.status == 200)
    }

    @Test("a stream that was never opened, such as that of a client that left at once, leaves nothing behind")
    func neverOpened() async throws {
        do {
            let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1"))
            guard case .events = response.body else { Issue.record("no stream"); return }
        }
        rig.time.run()
        #expect(rig.player.observers.isEmpty)
        #expect(rig.feed.streamCount == 0)
        #expect(rig.feed.wantedWatches.isEmpty)
    }

    // MARK: Losing connections

    @Test("a client that loses its connection at random, 1,000 times, has in the end exactly the server's log (seeded)")
    func lossyConnections() async throws {
        var generator = SeededGenerator(seed: 7)
        var received: [Int] = []
        var lastID = "e0:0"
        var client = try await rig.events(headers: [("Last-Event-ID", lastID)])
        for _ in 0..<1000 {
            for _ in 0..<Int.random(in: 0...4, using: &generator) { setVolume(Double.random(in: 0...1, using: &generator)) }
            client.readBytes(Int.random(in: 1...3000, using: &generator))
            for event in client.events() where event.id != nil {
                received.append(event.sequence ?? -1)
                lastID = event.id ?? ""
                #expect(event.data["resync"] == nil && event.data["coalesced"] == nil)
            }
            client.stream.close()
            client = try await rig.events(headers: [("Last-Event-ID", lastID)])
        }
        received += client.read().compactMap(\.sequence)
        #expect(received == Array(1...rig.feed.newestSequence))
        #expect(rig.feed.newestSequence > 1500)
    }
}
