import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Bytes that a jump on a kept connection receives (R-NET-15)")
struct SkippedByteTests {
    @Test("the bytes between two reads, and the rest of a response before the next request, are passed on at their offsets")
    func skipped() throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let server = try KeptServer { .part(of: bytes, $0, fields: "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n") }
        defer { server.stop() }
        // The clock stands still, so that the rest of a response never takes too long to be read. Its time is after all deadlines of the sockets.
        let clock = VirtualClock(seconds: MonotonicClock().now.seconds + 100_000)
        let source = try HTTPSource(url: server.url("/a"), headers: [], allowsPrivateAddresses: true, interrupt: Interrupt(), clock: clock)
        var kept = PageStore()
        source.observeSkipped { kept.write($0, at: $1) }
        try source.open()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        for offset: Int64 in [0, 50_000, 900_000] {
            try source.seek(to: offset)
            #expect(try source.read(into: buffer) == 1000)
            kept.write(UnsafeRawBufferPointer(buffer), at: offset)
        }
        #expect(server.requests.compactMap { $0.range?.first } == [0, 900_000] && server.connectionCount == 1)
        #expect(kept.end(from: 0) == 128 << 10)
        var first = [UInt8](repeating: 0, count: 128 << 10)
        for page in 0..<2 {
            let count = first[(page << 16)...].withUnsafeMutableBytes { kept.read(at: Int64(page) << 16, into: $0) }
            #expect(count == 1 << 16)
        }
        let isEqual = first == Array(bytes[..<first.count])
        #expect(isEqual)
    }

    @Test("skipped bytes fill the capacity of the kept ones, and do not exceed it")
    func limit() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        // The server states that it has byte ranges, and sends the whole medium each time.
        let server = try KeptServer { _ in
            KeptServer.Response(head: "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n", body: bytes)
        }
        defer { server.stop() }
        let address = server.url("/a"), interrupt = Interrupt(), capacity = 8 * PageStore.pageSize
        let source = try BufferedSource(capacity: capacity, monitor: ConnectionMonitor(), interrupt: interrupt) { interrupt throws(PlaybackError) in
            let remote = try HTTPSource(url: address, headers: [], allowsPrivateAddresses: true, interrupt: interrupt)
            try remote.open()
            return remote
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { buffer.deallocate() }
        try source.seek(to: 2_900_000)
        #expect(try source.read(into: buffer) == 1000 && buffer[0] == bytes[2_900_000])
        let pages = (0..<Int64(bytes.count) / PageStore.pageSize).count { page in
            source.isPresent((page * PageStore.pageSize)..<((page + 1) * PageStore.pageSize))
        }
        #expect(pages > 0 && pages <= 8, "\(pages) pages")
    }

    @Test("skipped bytes discard no kept ones, and those of a full store are dropped")
    func filling() {
        func fill(_ store: inout PageStore, _ range: Range<Int>, limit: Int) {
            [UInt8](repeating: 1, count: range.count).withUnsafeBytes { store.fill($0, at: Int64(range.lowerBound), upTo: limit) }
        }
        var store = PageStore()
        [UInt8](repeating: 2, count: 1000).withUnsafeBytes { store.write($0, at: 70_000) }
        fill(&store, 60_000..<70_500, limit: 2)
        #expect(store.end(from: 60_000) == 65_536 && store.end(from: 70_000) == 71_000)
        fill(&store, 71_000..<140_000, limit: 2)
        #expect(store.end(from: 70_000) == 131_072 && store.pageCount == 2)
    }
}
