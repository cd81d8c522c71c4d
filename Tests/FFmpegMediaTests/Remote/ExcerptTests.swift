import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

@Suite("Excerpts of a medium on a server (R-SEEK-25)")
struct ExcerptTests {
    private static let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private static let ranges = [5_000_000..<5_012_288, 5_500_000..<5_512_288] as [Range<Int64>]

    /// The excerpts that a source has delivered.
    private final class Arrived: Sendable {
        private let excerpts = Mutex<[Excerpt]>([])
        var list: [Excerpt] { excerpts.withLock { $0 } }
        func add(_ excerpt: Excerpt) -> [Range<Int64>]? {
            excerpts.withLock { $0.append(excerpt) }
            return nil
        }
    }

    /// A server that answers ranges, and a source that transfers ahead from it.
    private final class Rig {
        let server: KeptServer, source: BufferedSource, monitor = ConnectionMonitor(), interrupt = Interrupt()
        private let arrived = Arrived()

        init(isCurrent: Bool = true, capacity: Int64 = 4 << 20, handler: @escaping @Sendable (KeptServer.Request) -> KeptServer.Response) throws {
            // The bytes exist before the first request, so that the server answers at once.
            _ = ExcerptTests.bytes
            server = try KeptServer(handler: handler)
            monitor.setDemand(isCurrent: isCurrent, isNeeded: false, now: HostTime(seconds: 0))
            // The clock stands still, so that no answer takes too long, and its time is after all deadlines of the sockets.
            let address = server.url("/a"), clock = VirtualClock(seconds: MonotonicClock().now.seconds + 100_000)
            let client: @Sendable (Interrupt) throws(PlaybackError) -> ExcerptClient = { interrupt throws(PlaybackError) in
                let request = HTTPRequest(try RemoteURL(address), headers: [], titles: nil)
                let policy = AddressPolicy(allowsPrivate: true)
                return ExcerptClient(HTTPClient(request, policy: policy, meter: nil, interrupt: interrupt, clock: clock), clock: clock)
            }
            let monitor = monitor
            source = try BufferedSource(capacity: capacity, monitor: monitor, interrupt: interrupt, excerptClient: client) {
                interrupt throws(PlaybackError) in
                let remote = try HTTPSource(url: address, headers: [], allowsPrivateAddresses: true, interrupt: interrupt, clock: clock)
                return try RetryingSource(remote, policy: RetryPolicy(), monitor: monitor, clock: clock) { _ in false }
            }
        }
        deinit { server.stop() }

        func request(_ ranges: [Range<Int64>]) { source.requestExcerpts(ranges) { [arrived] in arrived.add($0) } }

        /// Returns the excerpts that have arrived, after waiting for `count` of them.
        func excerpts(_ count: Int) -> [Excerpt] {
            _ = waitUntil { arrived.list.count >= count }
            return arrived.list
        }

        func read(at offset: Int64) throws -> UInt8 {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
            defer { buffer.deallocate() }
            try source.seek(to: offset)
            #expect(try source.read(into: buffer) == 1)
            return buffer[0]
        }
    }

    private final class Offsets: Sendable {
        private let offsets = Mutex<[Int64]>([])
        var list: [Int64] { offsets.withLock { $0 } }
        func add(_ offset: Int64) { offsets.withLock { $0.append(offset) } }
    }

    private static func part(_ request: KeptServer.Request) -> KeptServer.Response {
        .part(of: bytes, request, fields: "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n")
    }

    /// The number of requests for the excerpt at the start of a range.
    private static func count(_ rig: Rig, _ range: Range<Int64>) -> Int { rig.server.requests.count { $0.range?.first == Int(range.lowerBound) } }

    @Test("each excerpt is one request for its bytes, on one connection beside that of the audio")
    func requests() throws {
        let rig = try Rig(handler: Self.part)
        rig.request(Self.ranges)
        let excerpts = rig.excerpts(2)
        #expect(excerpts.map(\.offset) == Self.ranges.map(\.lowerBound))
        for (excerpt, range) in zip(excerpts, Self.ranges) {
            let isEqual = excerpt.bytes == Array(Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            #expect(isEqual)
        }
        let requests = rig.server.requests.compactMap(\.range)
        #expect(Self.ranges.allSatisfy { range in requests.count { $0.first == range.lowerBound && $0.last == Int(range.upperBound) - 1 } == 1 })
        #expect(rig.server.connectionCount == 2)
    }

    @Test("the audio arrives complete and in order beside the excerpts")
    func audio() throws {
        let rig = try Rig(handler: Self.part)
        rig.request(Self.ranges)
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual)
    }

    @Test("excerpts whose bytes are present need no request")
    func present() throws {
        let rig = try Rig(capacity: 32 << 20, handler: Self.part)
        #expect(waitUntil { rig.monitor.reserve?.isComplete == true })
        let count = rig.server.requests.count
        rig.request(Self.ranges)
        #expect(Set(rig.excerpts(2).map(\.offset)) == Set(Self.ranges.map(\.lowerBound)))
        #expect(rig.server.requests.count == count && rig.server.connectionCount == 1)
    }

    @Test("no excerpts are transferred for an item that is not current, until it becomes current")
    func follower() throws {
        let rig = try Rig(isCurrent: false, handler: Self.part)
        rig.request(Self.ranges)
        #expect(waitUntil { rig.monitor.reserve?.isFull == true })
        #expect(Self.ranges.allSatisfy { Self.count(rig, $0) == 0 })
        rig.monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        #expect(rig.excerpts(2).count == 2)
    }

    @Test("an excerpt that the server does not send delays neither the audio nor a jump")
    func stuck() throws {
        let gate = DispatchSemaphore(value: 0)
        let rig = try Rig { request in
            if request.range?.first == 5_000_000, request.range?.last == 5_012_287 { gate.wait() }
            return Self.part(request)
        }
        defer { gate.signal() }
        rig.request(Self.ranges)
        #expect(waitUntil { Self.count(rig, Self.ranges[0]) == 1 })
        #expect(try rig.read(at: 4_000_000) == Self.bytes[4_000_000])
        try rig.source.seek(to: 0)
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual && rig.monitor.wait == nil && rig.excerpts(0).isEmpty)
    }

    /// The wrong answers to a request for an excerpt.
    private static let faults: [(String, @Sendable (KeptServer.Request) -> KeptServer.Response)] = [
        ("500", { _ in KeptServer.Response(head: "HTTP/1.1 500 Internal Server Error\r\n") }),
        ("429", { _ in KeptServer.Response(head: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 100\r\n") }),
        ("416", { _ in KeptServer.Response(head: "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */5000000\r\n") }),
        ("the whole medium", { _ in KeptServer.Response(head: "HTTP/1.1 200 OK\r\n", body: bytes) }),
        ("another medium", { .part(of: bytes, $0, total: 7_000_000) }),
        (
            "fewer bytes",
            { request in
                KeptServer.Response(
                    head: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5000000-5000009/6000000\r\n", body: Array(bytes[..<10]))
            }
        ),
        (
            "an end too early",
            { request in
                var response = KeptServer.Response.part(of: bytes, request)
                (response.statedLength, response.body) = (response.body.count, Array(response.body[..<100]))
                return response
            }
        ),
    ]

    @Test(
        "a wrong answer to the request for an excerpt ends the excerpts, is not tried again, and does not concern the audio",
        arguments: faults.map(\.0))
    func fault(_ name: String) throws {
        let answer = try #require(Self.faults.first { $0.0 == name }?.1)
        let rig = try Rig { request in
            request.range?.first == 5_000_000 && request.range?.last == 5_012_287 ? answer(request) : Self.part(request)
        }
        rig.request(Self.ranges)
        #expect(waitUntil { Self.count(rig, Self.ranges[0]) == 1 })
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual && rig.monitor.wait == nil && rig.source.length == Int64(Self.bytes.count))
        #expect(rig.excerpts(0).isEmpty && Self.count(rig, Self.ranges[0]) == 1 && Self.count(rig, Self.ranges[1]) == 0)
    }

    @Test("the ranges that the receiver of an excerpt returns replace those that have not arrived")
    func following() throws {
        let rig = try Rig(handler: Self.part), offsets = Offsets(), next = Self.ranges[1].lowerBound + 50_000
        rig.source.requestExcerpts(Self.ranges) { excerpt in
            offsets.add(excerpt.offset)
            return excerpt.offset == next ? [] : [next..<(next + 100)]
        }
        #expect(waitUntil { offsets.list.count == 2 })
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual && offsets.list == [Self.ranges[0].lowerBound, next])
    }

    @Test("an excerpt has at most 32 KiB")
    func size() throws {
        let rig = try Rig(handler: Self.part)
        rig.request([4_500_000..<5_500_000])
        #expect(rig.excerpts(1).first?.bytes.count == 32 << 10)
    }

    @Test("a server without byte ranges is asked for no excerpt")
    func noRanges() throws {
        let rig = try Rig(capacity: 32 << 20) { _ in KeptServer.Response(head: "HTTP/1.1 200 OK\r\n", body: Self.bytes) }
        rig.request(Self.ranges)
        #expect(waitUntil { rig.monitor.reserve?.isComplete == true })
        #expect(rig.server.requests.count == 1)
    }
}

@Suite("The shares of excerpts and audio (R-SEEK-25)")
struct ExcerptShareTests {
    private static let size: Int64 = 12 << 10
    private static let ranges = (1...20).map { Int64($0) * 1_000_000..<(Int64($0) * 1_000_000 + size) }

    private static func transfer(isCurrent: Bool = true) -> ExcerptTransfer {
        let monitor = ConnectionMonitor(), transfer = ExcerptTransfer(monitor: monitor)
        monitor.setDemand(isCurrent: isCurrent, isNeeded: false, now: HostTime(seconds: 0))
        transfer.request(ranges) { _ in nil }
        return transfer
    }

    @Test("an excerpt waits until 128 KiB of audio are present after the reader, and twice its bytes of audio have been received")
    func reserve() throws {
        let transfer = Self.transfer(), length: Int64 = 50_000_000
        #expect(try #require(transfer.next()) == nil)
        transfer.noteAudio(length: length, ahead: (128 << 10) - 1, received: 1 << 20, isIdle: false)
        #expect(try #require(transfer.next()) == nil)
        transfer.noteAudio(length: length, ahead: 128 << 10, received: 0, isIdle: false)
        #expect(try #require(transfer.next())?.range == Self.ranges[0])
        let other = Self.transfer()
        other.noteAudio(length: length, ahead: 1 << 20, received: Int(2 * Self.size) - 2, isIdle: false)
        #expect(try #require(other.next()) == nil)
        other.noteAudio(length: length, ahead: 1 << 20, received: 2, isIdle: false)
        #expect(try #require(other.next())?.length == length)
    }

    @Test("while the transfer of the audio pauses, excerpts need no share of it")
    func idle() throws {
        let transfer = Self.transfer()
        transfer.noteAudio(length: 50_000_000, ahead: 0, received: 0, isIdle: true)
        #expect(try #require(transfer.next())?.range == Self.ranges[0])
    }

    @Test("a request that arrives while an excerpt is examined has priority over the ranges that the examination returns")
    func newest() {
        let monitor = ConnectionMonitor(), transfer = ExcerptTransfer(monitor: monitor), offsets = Mutex<[Int64]>([])
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        transfer.noteAudio(length: 50_000_000, ahead: 0, received: 0, isIdle: true)
        transfer.request([Self.ranges[0]]) { _ in
            transfer.request([Self.ranges[2]]) { excerpt in
                offsets.withLock { $0.append(excerpt.offset) }
                transfer.stop()
                return nil
            }
            return [Self.ranges[1]]
        }
        transfer.run { _ throws(PlaybackError) in
            throw .cancelled
        } present: {
            [UInt8](repeating: 0, count: $0.count)
        }
        #expect(offsets.withLock { $0 } == [Self.ranges[2].lowerBound])
    }

    @Test("nothing is transferred for an item that is not current, and after the end")
    func never() throws {
        let follower = Self.transfer(isCurrent: false)
        follower.noteAudio(length: 50_000_000, ahead: 1 << 20, received: 1 << 20, isIdle: true)
        #expect(try #require(follower.next()) == nil)
        let stopped = Self.transfer()
        stopped.stop()
        #expect(stopped.next() == nil)
    }
}
