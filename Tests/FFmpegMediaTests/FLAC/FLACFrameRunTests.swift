import Foundation
import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("Runs of FLAC frames and of Ogg pages")
struct FLACFrameRunTests {
    private func page(_ granule: UInt64, serial: UInt8 = 7, size: UInt8 = 100) -> [UInt8] {
        var page = Array("OggS".utf8)
        page += [0, 0]
        page += withUnsafeBytes(of: granule.littleEndian) { Array($0) }
        page += [serial, 0, 0, 0]
        page += [UInt8](repeating: 0, count: 8)
        page += [1, size]
        return page + [UInt8](repeating: 1, count: Int(size))
    }

    @Test("a page begins at the end of the last packet before it; pages in which no packet ends have no position")
    func pages() {
        let granules: [UInt64] = [1000, .max, 2000, 2000, 3000]
        let bytes: [UInt8] = [0x4F, 0x67, 9] + granules.flatMap { page($0) }
        let points = OggPageRun.points(in: bytes, at: 50), pageSize: Int64 = 128
        #expect(points.map(\.position) == [1000, 2000])
        #expect(points.map(\.byte) == [53 + pageSize, 53 + 3 * pageSize])
    }

    @Test("pages of several streams have no common positions")
    func streams() { #expect(OggPageRun.points(in: page(1000) + page(5, serial: 8) + page(2000), at: 0) == []) }

    @Test("a run of bytes that look like frame headers takes linear time")
    func hostile() throws {
        // The header of a frame of 192 samples, repeated: all frames have the same position, so none adjoins another.
        let header: [UInt8] = [0xFF, 0xF8, 0x19, 0x18, 0x05]
        var checksum: UInt8 = 0
        for byte in header {
            checksum ^= byte
            for _ in 0..<8 { checksum = checksum & 0x80 != 0 ? checksum << 1 ^ 7 : checksum << 1 }
        }
        let bytes = (0..<20_000).flatMap { _ in header + [checksum] }
        let info = try #require(FLACStreamInfo(blockSize: 192))
        #expect(bytes.withUnsafeBufferPointer { FLACFrameRun.candidates(in: $0, info) }.count > 19_000)
        #expect(FLACFrameRun.points(in: bytes, at: 0, info) == [])
    }
}
