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
    private static let ranges = [5_000_000..<5_012_288, 2_500_000..<2_512_288] as [Range<Int64>]

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
            server = try KeptServer(handler: handler)
            monitor.setDemand(isCurrent: isCurrent, isNeeded: false, now: HostTime(seconds: 0))
            let address = server.url("/a")
            source = try BufferedSource(capacity: capacity, monitor: monitor, interrupt: interrupt) { interrupt throws(PlaybackError) in
                let remote = try HTTPSource(url: address, headers: [], allowsPrivateAddresses: true, interrupt: interrupt)
                try remote.open()
                return remote
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

    @Test("each excerpt is one request for its bytes on the same connection, after 256 KiB have been transferred ahead")
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
        for range in Self.ranges {
            let index = try #require(requests.firstIndex { $0.first == range.lowerBound && $0.last == Int(range.upperBound) - 1 })
            #expect(requests[..<index].contains { $0.last ?? 0 >= (256 << 10) - 1 && $0.first < 1_000_000 })
        }
        #expect(rig.server.connectionCount == 1)
    }

    @Test("the audio arrives complete and in order around the excerpts")
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
        #expect(rig.server.requests.count == count)
    }

    @Test("no excerpts are transferred for an item that is not current, until it becomes current")
    func follower() throws {
        let rig = try Rig(isCurrent: false, handler: Self.part)
        rig.request(Self.ranges)
        #expect(waitUntil { rig.monitor.reserve?.isFull == true })
        #expect(!rig.server.requests.contains { $0.range.map { Self.ranges.map(\.lowerBound).contains(Int64($0.first)) } ?? false })
        rig.monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        #expect(rig.excerpts(2).count == 2)
    }

    @Test("an excerpt that the server does not send is given up after the reader has read all bytes before, and none follows")
    func stuck() throws {
        let gate = DispatchSemaphore(value: 0)
        let rig = try Rig { request in
            if request.range?.first == 5_000_000 { gate.wait() }
            return Self.part(request)
        }
        defer { for _ in 0..<8 { gate.signal() } }
        rig.request(Self.ranges)
        #expect(waitUntil { rig.server.requests.contains { $0.range?.first == 5_000_000 } })
        // The bytes after the transferred ones need the connection that waits for the excerpt. The server sends it when they are requested.
        gate.signal()
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual)
    }

    @Test("after a jump during an excerpt, the excerpt is requested again")
    func jump() throws {
        let gate = DispatchSemaphore(value: 0), waiting = Atomic(true)
        let rig = try Rig { request in
            if request.range?.first == 5_000_000, waiting.exchange(false, ordering: .relaxed) { gate.wait() }
            return Self.part(request)
        }
        rig.request(Self.ranges)
        #expect(waitUntil { rig.server.requests.contains { $0.range?.first == 5_000_000 } })
        gate.signal()
        #expect(try rig.read(at: 3_000_000) == Self.bytes[3_000_000])
        #expect(rig.excerpts(2).count == 2)
    }

    @Test("an error ends the excerpts, and not the audio")
    func failure() throws {
        let rig = try Rig { request in
            request.range?.first == 5_000_000 ? KeptServer.Response(head: "HTTP/1.1 500 Internal Server Error\r\n") : Self.part(request)
        }
        rig.request(Self.ranges)
        #expect(waitUntil { rig.server.requests.contains { $0.range?.first == 5_000_000 } })
        let isEqual = try rig.source.rest() == Self.bytes
        #expect(isEqual && rig.excerpts(0).isEmpty)
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
