import PlaybackEngine
import PlaybackTesting
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of how clients read an event stream, and of who is woken for an event.
@MainActor @Suite struct EventReadingTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    @Test("a stream gives the same bytes, whatever the size of the reads")
    func pieces() async throws {
        let whole = try await rig.events()
        let pieces = try await rig.events()
        for volume in [0.1, 0.2, 0.3] { rig.setVolume(volume) }
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
        for volume in [0.1, 0.2, 0.3] { rig.setVolume(volume) }
        #expect(rig.runner.heldCount == 1)
        #expect(client.wakeCount == before)
        rig.runner.release()
        #expect(client.wakeCount == before + 1)
        #expect(client.read().count == 3)
        rig.setVolume(0.4)
        #expect(client.wakeCount == before + 2)
    }

    @Test("a server that can wake all clients at once is called directly by the writer")
    func wakeEveryone() async throws {
        let count = Mutex(0)
        rig.api.serverDidStart { count.withLock { $0 += 1 } }
        rig.setVolume(0.1)
        #expect(count.withLock { $0 } == 0)
        let client = try await rig.events()
        _ = client.read()
        let before = client.wakeCount
        rig.runner.hold()
        rig.setVolume(0.2)
        rig.setVolume(0.3)
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
        var limits = EventBroadcast.Limits()
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

    @Test("a closed stream is not woken, and is removed from the broadcast")
    func gone() async throws {
        let client = try await rig.events("?tick=1")
        #expect(rig.broadcast.streamCount == 1)
        let before = client.wakeCount
        client.stream.close()
        rig.setVolume(0.1)
        #expect(client.wakeCount == before)
        #expect(rig.broadcast.streamCount == 0)
    }
}
