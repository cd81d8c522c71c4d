import PlaybackEngine
import PlaybackTesting
import Playlist
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the API's event stream (server-sent events).
@MainActor @Suite struct EventStreamTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    private func setVolume(_ value: Double) { rig.player.change { $0.volume = value } }

    // MARK: Connection and replay

    @Test("a new client first receives the complete state with the current id")
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

    @Test("before the first event the snapshot has the id 0, from which a replay is complete")
    func firstID() async throws {
        #expect(try await rig.events().read().first?.id == "e0:0")
        setVolume(0.5)
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:0")]).read().map(\.id) == ["e0:1"])
    }

    @Test("the snapshot has the state at the time when it is read")
    func lateSnapshot() async throws {
        let client = try await rig.events()
        setVolume(0.5)
        rig.time.advance(by: 1)
        let events = client.read()
        #expect(events.map(\.id) == ["e0:1"])
        #expect(events.first?.data["volume"]?.double == 0.5)
        #expect(events.first?.data["hostTime"]?.double == 8001)
    }

    @Test("with a Last-Event-ID that is still in the log, a client receives only the missed events, in order, and no snapshot")
    func replay() async throws {
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        let events = try await rig.events(headers: [("Last-Event-ID", "e0:1")]).read()
        #expect(events.map(\.id) == ["e0:2", "e0:3"])
        #expect(events.map { $0.data["volume"]?.double } == [0.2, 0.3])
        #expect(events.allSatisfy { $0.data["resync"] == nil })
    }

    @Test("a client that missed no event receives nothing until the next event")
    func replayNothing() async throws {
        setVolume(0.1)
        let client = try await rig.events(headers: [("Last-Event-ID", "e0:1")])
        #expect(client.read().isEmpty)
        setVolume(0.2)
        #expect(client.read().map(\.id) == ["e0:2"])
    }

    @Test(
        "any other Last-Event-ID gives a state with resync",
        arguments: ["e0:99", "e9:1", "e0:-1", "e0:x", "e0:", "e0", "1", ":", "e0:1 ", "e0:99999999999999999999", "\u{FFFD}"])
    func resync(_ id: String) async throws {
        setVolume(0.1)
        let events = try await rig.events(headers: [("Last-Event-ID", id)]).read()
        #expect(events.count == 1)
        #expect(events.first?.name == "state")
        #expect(events.first?.id == "e0:1")
        #expect(events.first?.data["resync"]?.bool == true)
    }

    @Test("an id that is no longer in the log gives a state with resync")
    func forgotten() async throws {
        var limits = EventFeed.Limits()
        limits.log.events = 4
        let rig = try TestRig(limits: limits)
        for volume in 1...10 { rig.player.change { $0.volume = Double(volume) / 100 } }
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:6")]).read().map(\.id) == ["e0:7", "e0:8", "e0:9", "e0:10"])
        #expect(try await rig.events(headers: [("Last-Event-ID", "e0:5")]).read().map(\.data["resync"]?.bool) == [true])
    }

    @Test("lastEventId in the query has the same effect; the header field takes precedence; an empty value is ignored")
    func queryID() async throws {
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        #expect(try await rig.events("?lastEventId=e0:2").read().map(\.id) == ["e0:3"])
        #expect(try await rig.events("?lastEventId=e0%3A2", headers: [("Last-Event-ID", "e0:1")]).read().map(\.id) == ["e0:2", "e0:3"])
        #expect(try await rig.events("?lastEventId=").read().map(\.data["resync"]?.bool) == [nil])
    }

    @Test("the response is an event stream that is not cached or buffered")
    func headers() async throws {
        let response = await rig.respond(to: TestRig.request("GET", "/api/v1/events"))
        let reply = Reply(response)
        #expect(reply.status == 200)
        #expect(reply.header("Content-Type") == "text/event-stream")
        #expect(reply.header("Cache-Control") == "no-store")
        #expect(reply.header("X-Accel-Buffering") == "no")
    }

    // MARK: Numbered events

    @Test("each revision gives exactly one state event, with the names of the changed members")
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

    @Test("setting and removing the current item are changes of currentItem")
    func itemChange() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a") }
        rig.player.change { $0.currentItem = nil }
        #expect(client.read().map { $0.data["changed"]?.elements.compactMap(\.text) ?? [] } == [["currentItem"], ["currentItem"]])
    }

    @Test("each player event has its type, its data and a host time, and precedes the state that shows it")
    func playerEvents() async throws {
        let client = try await rig.events()
        _ = client.read()
        rig.time.advance(by: 2)
        rig.player.emit(.rateDidChange(rate: 1.5, reason: .setRateCalled, origin: "kitchen"))
        rig.player.change { $0.rate = 1.5 }
        rig.player.emit(.timeJumped(itemID: "e1", time: 42.5))
        rig.player.emit(.didPlayToEndTime(itemID: "e1"))
        rig.player.emit(.failedToPlayToEndTime(itemID: "e2", PlayerState.Failure(code: .network, message: "m")))
        rig.player.emit(.playbackStalled(itemID: "e3"))
        let events = client.read()
        #expect(events.map(\.name) == ["rateDidChange", "state", "timeJumped", "didPlayToEndTime", "failedToPlayToEndTime", "playbackStalled"])
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(events.allSatisfy { $0.data["hostTime"]?.double == 8002 })
        #expect(events[0].data["rate"]?.double == 1.5)
        #expect(events[0].data["reason"]?.text == "setRateCalled")
        #expect(events[0].data["origin"]?.text == "kitchen")
        #expect(events[2].data["time"]?.double == 42.5)
        #expect(events[4].data["error"]?["code"]?.text == "network")
        #expect(events.map { $0.data["itemId"]?.text } == [nil, nil, "e1", "e1", "e2", "e3"])
    }

    @Test("metadata, interruption and route events are numbered, have their data, and are replayed")
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

    @Test("a command over HTTP gives every client the same single rateDidChange with the name of its sender")
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

    @Test("an event is encoded once: every client is sent the same buffer")
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

    @Test("a stream gives the same bytes, whatever the size of the reads")
    func pieces() async throws {
        let whole = try await rig.events()
        let pieces = try await rig.events()
        for volume in [0.1, 0.2, 0.3] { setVolume(volume) }
        while let count = pieces.readBytes(7), count > 0 {}
        #expect(pieces.events() == whole.read())
        #expect(pieces.unparsed.isEmpty)
    }

    @Test("closing the API ends every stream, including one that is opened afterwards")
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

    @Test("a client is woken after an event, once for several events in a row")
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

    @Test("a server that can wake all clients at once is called directly by the writer")
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

    @Test("a tick wakes only its subscribers, or all clients at once if most are subscribers")
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

    @Test("threads that read while the player changes receive every event, in order")
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

    @Test("a closed stream is not woken, and is removed from the feed")
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

    @Test("a client that keeps reading receives every event, however many")
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

    @Test("a client that exceeds its backlog receives one state with coalesced and the newest id, then single events again")
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

    @Test("a partially sent frame is completed before the coalesced state")
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

    @Test("a slow client is coalesced too if its next event is no longer in the log")
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

    @Test("a client that reads nothing for a minute is dropped; one that reads is not")
    func dropped() async throws {
        let silent = try await rig.events()
        let reader = try await rig.events()
        _ = (silent.read(), reader.read())
        setVolume(0.5)
        // The server checks each 15 s whether events are unread. The first check finds one, and from then on the client has one minute to read it.
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

    @Test("a client that reads nothing for a minute after a part of an event is dropped")
    func droppedInside() async throws {
        let client = try await rig.events()
        client.readBytes(10)
        rig.time.advance(by: 74)
        #expect(rig.feed.streamCount == 1)
        rig.time.advance(by: 2)
        #expect(rig.feed.streamCount == 0)
    }

    @Test("a client that has read everything is never dropped, however long the player emits no event")
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

    @Test("every client receives a named heartbeat without id each 15 s, and no timer runs without a client")
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

    @Test("a heartbeat is never replayed and does not advance the id")
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

    @Test("the player is not observed without a subscriber, and once for each interval; the observer is removed with its last subscriber")
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

    @Test("a tick is sent to its subscribers, without id, with the time that the listener hears")
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

    @Test("ticks keep their order among the events, so that a client's time never goes back")
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

    @Test("after a change of the anchor a tick follows the state, and only then")
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

    @Test("a tick follows the jump and the state of the same turn, and has the time heard then")
    func tickAfterJump() async throws {
        let client = try await rig.events("?tick=0.5")
        _ = client.read()
        // The fake player does not publish its state at once, but at the end of the turn, as the real player does.
        rig.player.publishesLater = true
        rig.player.tick(0.5, PlayerTime(currentTime: 2, rate: 1, hostTime: 1))
        rig.player.emit(.timeJumped(itemID: "e1", time: 2))
        rig.player.change { $0.anchor.time = 2 }
        rig.player.heard.withLock { $0.currentTime = 2.25 }
        rig.time.run()
        #expect(client.read().map(\.name) == ["timeJumped"])
        rig.player.publish()
        let events = client.read()
        #expect(events.map(\.name) == ["state", "tick"])
        #expect(events.last?.data["currentTime"]?.double == 2.25)
    }

    @Test("a slow client receives only the newest tick, and none from before its coalesced state")
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

    @Test("an invalid interval is refused", arguments: ["0.09", "0", "-1", "3601", "x", "", "NaN", "1e400", "0,5"])
    func badTick(_ text: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?tick=" + text)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "tick")
    }

    // MARK: Boundaries

    @Test("a crossed boundary is sent to its subscribers, without id, after the events that preceded it")
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

    @Test("a client that has not read receives each of the newest sixteen crossings")
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

    @Test("a crossing from before a coalesced state is not sent after it")
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

    @Test("equal sets of times, in any order, share one observer; different sets do not")
    func boundarySharing() async throws {
        let clients = [try await rig.events("?boundary=1,2"), try await rig.events("?boundary=2,1,1"), try await rig.events("?boundary=3")]
        #expect(rig.player.observers.map(\.times).sorted { $0[0] < $1[0] } == [[1, 2], [3]])
        for client in clients { client.stream.close() }
    }

    @Test(
        "boundaries that are not numbers, out of range or too many are refused",
        arguments: ["", "x", "1,", ",1", "1;2", "-1", "1e10", "NaN", "1%5D,%5B2", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "%5B1%5D", "null"])
    func badBoundary(_ text: String) async throws {
        let reply = await rig.send("GET", "/api/v1/events?boundary=" + text)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "boundary")
    }

    @Test("the number of different intervals is limited, the number of their subscribers is not")
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

    @Test("a remote address has a limited share of the intervals; clients of this machine have no such share")
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
        #expect(try lease(9, phone) == nil, "although another address has it")
        for interval in 1...10 { #expect(try lease(Double(interval), .loopback) != nil) }
        leases.removeLast()
        #expect(try lease(3, phone) == nil, "the second client still has it")
        leases.removeLast()
        #expect(try lease(3, phone) != nil)
        let reply = Reply(await rig.respond(to: TestRig.request("GET", "/api/v1/events?tick=1", peer: phone)))
        #expect(reply.status == 200)
    }

    @Test("a stream that is never opened leaves no observer or stream in the feed")
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

    // MARK: Lost connections

    @Test("a client that reconnects at random, 1,000 times, has received exactly the server's log in the end (seeded)")
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
