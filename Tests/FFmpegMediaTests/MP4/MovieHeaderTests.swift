import CFFmpeg
import Foundation
import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("Edits in the header of an MP4 file")
struct MovieHeaderTests {
    /// Returns `count` bytes of a number, the highest byte first; bytes beyond eight are leading zeros.
    private func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { (place: Int) -> UInt8 in UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - place))) }
    }
    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var all: [UInt8] = bytes(UInt64(content.count + 8), 4)
        all += Array(name.utf8)
        return all + content
    }

    /// Reads the header of an MP4 file with one audio track, whose number is 1, and which has these edits. The scales are in ticks per second.
    private func header(movieScale: UInt64, trackScale: UInt64, edits: [(duration: UInt64, time: Int64)]) throws -> MovieHeader? {
        let scale = { (value: UInt64) -> [UInt8] in [0, 0, 0, value, 0, 0].flatMap { self.bytes($0, 4) } }
        var list: [UInt8] = bytes(1 << 24, 4)
        list += bytes(UInt64(edits.count), 4)
        for edit in edits {
            list += bytes(edit.duration, 8)
            list += bytes(UInt64(bitPattern: edit.time), 8)
            list += bytes(1 << 16, 4)
        }
        let times: [UInt8] = [0, 1, 1000, 1024].flatMap { bytes($0, 4) }
        var media: [UInt8] = box("mdhd", scale(trackScale))
        media += box("hdlr", bytes(0, 8) + Array("soun".utf8) + bytes(0, 13))
        media += box("minf", box("stbl", box("stts", times)))
        let identity: [UInt8] = [0, 0, 0, 1, 0, 0].flatMap { bytes($0, 4) }
        var track: [UInt8] = box("tkhd", identity)
        track += box("edts", box("elst", list))
        track += box("mdia", media)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("header-\(UUID().uuidString).mp4")
        try Data(box("moov", box("mvhd", scale(movieScale)) + box("trak", track))).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var io: UnsafeMutablePointer<AVIOContext>?
        try #require(avio_open(&io, url.path, AVIO_FLAG_READ) >= 0)
        defer { avio_closep(&io) }
        return try MovieHeader(#require(io))
    }

    @Test("an ordinary edit list gives its window")
    func ordinaryEdits() throws {
        let header = try #require(try header(movieScale: 1000, trackScale: 44_100, edits: [(1000, -1), (2000, 1024)]))
        #expect(header.window(ofTrack: 1) == RecordingWindow(origin: 1024 - 44_100, end: 1024 + 88_200, media: 1_024_000))
    }

    @Test("empty edits of extreme length, alone or together, give no window")
    func endlessLead() throws {
        let most: UInt64 = 1 << 40
        let scales: [(UInt64, UInt64)] = [(1, 1 << 22), (1, 1 << 31), (1 << 10, 1 << 31), (1, 1)]
        for (movie, track) in scales {
            let header = try #require(try header(movieScale: movie, trackScale: track, edits: [(most, -1), (most, -1), (most, -1), (1, 0)]))
            #expect(header.window(ofTrack: 1) == nil)
        }
    }

    @Test("an edit of extreme length gives no window")
    func endlessEdit() throws {
        let header = try #require(try header(movieScale: 1, trackScale: 1 << 22, edits: [(1 << 40, (1 << 40) - 1)]))
        #expect(header.window(ofTrack: 1) == nil)
    }
}
