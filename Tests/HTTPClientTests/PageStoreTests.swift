import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Pages of transferred bytes")
struct PageStoreTests {
    private let size = PageStore.pageSize

    private func write(_ store: inout PageStore, _ bytes: [UInt8], at offset: Int64) {
        bytes.withUnsafeBytes { store.write($0, at: offset) }
    }
    private func read(_ store: PageStore, at offset: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = bytes.withUnsafeMutableBytes { store.read(at: offset, into: $0) }
        return Array(bytes[..<found])
    }

    @Test("bytes that were written over several pages are read again, at most to the end of a page")
    func pages() {
        var store = PageStore()
        let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        write(&store, bytes, at: 60_000)
        #expect(store.end(from: 60_000) == 210_000)
        #expect(store.end(from: 0) == 0 && store.end(from: 59_999) == 59_999 && store.end(from: 210_000) == 210_000)
        #expect(read(store, at: 60_000, count: 200_000).count == Int(size) - 60_000)
        var all: [UInt8] = []
        while case let part = read(store, at: 60_000 + Int64(all.count), count: 10_000), !part.isEmpty { all += part }
        #expect(all == bytes)
    }

    @Test("bytes that do not touch those of their page replace them; bytes that overlap are kept once")
    func gaps() {
        var store = PageStore()
        write(&store, [1, 2, 3], at: 100)
        write(&store, [9, 9, 4, 5], at: 101)
        #expect(read(store, at: 100, count: 10) == [1, 2, 3, 4, 5])
        write(&store, [7], at: 102)
        #expect(read(store, at: 100, count: 10) == [1, 2, 3, 4, 5])
        write(&store, [8], at: 200)
        #expect(store.end(from: 100) == 100 && read(store, at: 200, count: 10) == [8])
        write(&store, [6], at: 100)
        #expect(read(store, at: 100, count: 10) == [6] && store.end(from: 200) == 200)
    }

    @Test("pages far before the reader are discarded first, then those far after it")
    func discarding() {
        var store = PageStore()
        let page = [UInt8](repeating: 1, count: Int(size))
        for number in 0..<10 { write(&store, page, at: Int64(number) * size) }
        store.discard(downTo: 7, reader: 5 * size)
        #expect(store.pageCount == 7 && store.end(from: 0) == 0 && store.end(from: 3 * size) == 10 * size)
        store.discard(downTo: 3, reader: 5 * size)
        #expect(store.end(from: 5 * size) == 8 * size && store.byteCount == 3 * Int(size))
    }

    @Test("random writes and reads agree with a plain array")
    func random() {
        var generator = SeededGenerator(seed: 11), store = PageStore()
        let medium = (0..<(5 * Int(size) + 123)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        for _ in 0..<2_000 {
            let start = Int(generator.next() % UInt64(medium.count)), count = min(medium.count - start, Int(generator.next() % 100_000))
            write(&store, Array(medium[start..<(start + count)]), at: Int64(start))
            let probe = Int(generator.next() % UInt64(medium.count))
            let found = read(store, at: Int64(probe), count: 1000)
            #expect(found == Array(medium[probe..<(probe + found.count)]))
            let end = Int(store.end(from: Int64(probe)))
            #expect(end - probe >= found.count && end <= medium.count)
        }
    }
}
