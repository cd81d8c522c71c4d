import CFFmpeg
import Testing

@testable import FFmpegMedia

@Suite("The seek index")
struct SeekIndexTests {
    /// Returns a seek index of packets at these media positions. Each packet has other bytes than the others.
    static func index(_ positions: [Int64], distance: Int64, capacity: Int = 8192) throws -> SeekIndex {
        var index = SeekIndex(distance: distance, capacity: capacity)
        for position in positions {
            let packet = try PacketHandle()
            _ = av_new_packet(packet.raw, 8)
            for byte in 0..<8 { packet.raw.pointee.data[byte] = UInt8(truncatingIfNeeded: position >> (8 * Int64(byte))) }
            packet.raw.pointee.pos = position * 2
            index.add(packet.raw, at: position)
        }
        return index
    }

    @Test("the last entry at or before a position is found, whatever the order of insertion")
    func lookup() throws {
        let index = try SeekIndexTests.index([0, 300, 100, 200, 500, 400], distance: 50)
        #expect(index.entries.map(\.position) == [0, 100, 200, 300, 400, 500])
        #expect(index.last(atOrBefore: 299)?.position == 200)
        #expect(index.last(atOrBefore: 300)?.position == 300)
        #expect(index.last(atOrBefore: 9999)?.position == 500)
        #expect(index.last(atOrBefore: -1) == nil)
    }

    @Test("entries keep their minimum distance")
    func distance() throws {
        let index = try SeekIndexTests.index(Array(stride(from: 0, through: 1000, by: 10)), distance: 100)
        #expect(index.entries.map(\.position) == Array(stride(from: 0, through: 1000, by: 100)))
    }

    @Test("the index stays within its capacity and still covers everything")
    func bounded() throws {
        let index = try SeekIndexTests.index(Array(stride(from: 0, to: 100_000, by: 10)), distance: 10, capacity: 64)
        #expect(index.entries.count <= 64 && index.entries.count >= 16)
        #expect(index.entries.first?.position == 0)
        #expect((index.entries.last?.position ?? 0) > 90_000)
        let gaps = zip(index.entries, index.entries.dropFirst()).map { $1.position - $0.position }
        #expect((gaps.max() ?? 0) <= 100_000 / 16)
    }

    @Test("a packet is recognised by its offset, size and bytes")
    func recognition() throws {
        let index = try SeekIndexTests.index([100], distance: 1)
        let entry = try #require(index.entries.first)
        let packet = try PacketHandle()
        _ = av_new_packet(packet.raw, 8)
        for byte in 0..<8 { packet.raw.pointee.data[byte] = byte == 0 ? 100 : 0 }
        packet.raw.pointee.pos = 200
        #expect(SeekIndex.matches(entry, packet.raw))
        packet.raw.pointee.data[7] = 1
        #expect(!SeekIndex.matches(entry, packet.raw))
        packet.raw.pointee.data[7] = 0
        packet.raw.pointee.pos = 201
        #expect(!SeekIndex.matches(entry, packet.raw))
    }
}
