import CFFmpeg
import Foundation
import Testing

@testable import FFmpegMedia

@Suite("The packet table of Core Audio files (Core Audio Format Specification)")
struct PacketTableTests {
    private func big(_ value: Int64, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) } }
    private func chunk(_ name: String, _ content: [UInt8], length: Int64? = nil) -> [UInt8] {
        Array(name.utf8) + big(length ?? Int64(content.count), 8) + content
    }
    private func table(_ valid: Int64, _ priming: Int64, _ remainder: Int64) -> [UInt8] {
        chunk("pakt", big(3, 8) + big(valid, 8) + big(priming, 4) + big(remainder, 4))
    }

    /// Writes a Core Audio file with these chunks. Returns the packet table that is read from the file; nil if the table is missing or invalid.
    private func read(_ chunks: [UInt8]) throws -> PacketTable? {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("table-\(UUID().uuidString).caf")
        try Data(Array("caff".utf8) + [0, 1, 0, 0] + chunks).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var io: UnsafeMutablePointer<AVIOContext>?
        try #require(avio_open(&io, url.path, AVIO_FLAG_READ) >= 0)
        defer { avio_closep(&io) }
        return try PacketTable(#require(io))
    }

    @Test("a packet table gives the window of the recording, before or after the audio")
    func window() throws {
        let expected = RecordingWindow(origin: 1024, end: 3000, media: 3072)
        let sound = chunk("data", big(0, 4) + [1, 2, 3])
        #expect(try read(chunk("desc", big(0, 32)) + table(1976, 1024, 72) + sound)?.window == expected)
        #expect(try read(sound + table(1976, 1024, 72))?.window == expected)
    }

    @Test("a table without priming and remainder gives no window")
    func wholePackets() throws {
        let table = try #require(try read(table(3072, 0, 0)))
        #expect(table.validFrames == 3072)
        #expect(table.window == nil)
    }

    @Test("without a table, or if audio of unknown length precedes it, there is no result")
    func absent() throws {
        #expect(try read(chunk("desc", big(0, 32))) == nil)
        #expect(try read(chunk("data", big(0, 4), length: -1) + table(1976, 1024, 72)) == nil)
        #expect(try read([]) == nil)
    }

    @Test(
        "values that no encoder writes are ignored",
        arguments: [(0, 1024, 0), (-1, 0, 0), (1 << 48, 0, 0), (1000, -1, 0), (1000, 0, -1), (1000, 1 << 20, 0), (1000, 0, 1 << 20)])
    func impossible(valid: Int64, priming: Int64, remainder: Int64) throws {
        #expect(try read(table(valid, priming, remainder)) == nil)
    }

    @Test("a truncated chunk or one with an excessive length ends the search")
    func cutOff() throws {
        #expect(try read(Array(table(1976, 1024, 72).dropLast(3))) == nil)
        #expect(try read(chunk("free", [], length: .max) + table(1976, 1024, 72)) == nil)
        #expect(try read(chunk("pakt", big(3, 8))) == nil)
    }
}
