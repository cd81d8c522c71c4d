import Testing

@testable import FFmpegMedia

@Suite("The table of positions in FLAC files")
struct FLACSeekTableTests {
    private func block(_ type: UInt8, _ content: [UInt8], isLast: Bool = false) -> [UInt8] {
        let size = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }
        return [isLast ? type | 0x80 : type] + size[1...] + content
    }
    private func entry(_ position: UInt64, _ byte: UInt64) -> [UInt8] {
        var entry = withUnsafeBytes(of: position.bigEndian) { Array($0) }
        entry += withUnsafeBytes(of: byte.bigEndian) { Array($0) }
        return entry + [0x10, 0]
    }
    private func points(_ file: [UInt8], at start: Int64 = 0) -> [ByteSearch.Point] {
        FLACSeekTable.points(at: start) { Array(file.dropFirst(Int($0.lowerBound)).prefix($0.count)) }
    }

    @Test("the entries count from the first frame; placeholders and impossible numbers are skipped")
    func table() {
        let entries = entry(0, 0) + entry(441_000, 70_000) + entry(.max, 0) + entry(5, 1 << 50)
        var file: [UInt8] = [1, 2, 3] + Array("fLaC".utf8)
        file += block(0, [UInt8](repeating: 0, count: 34))
        file += block(3, entries)
        file += block(1, [0, 0], isLast: true)
        let audio = Int64(file.count)
        #expect(points(file, at: 3) == [.init(position: 0, byte: audio), .init(position: 441_000, byte: audio + 70_000)])
        #expect(points(file) == [])
    }

    @Test("the number of blocks and of entries has a limit")
    func limits() {
        let many = block(3, (0..<40_000).flatMap { entry($0, $0) })
        #expect((1...ByteSearch.capacity).contains(points(Array("fLaC".utf8) + many + block(1, [], isLast: true)).count))
        let empty = [[UInt8]](repeating: block(1, []), count: FLACSeekTable.blockLimit), late = Array("fLaC".utf8) + empty.joined()
        #expect(points(late + block(3, entry(1, 1), isLast: true)) == [])
        #expect(points(Array("fLaC".utf8) + [3, 0, 0]) == [])
    }
}
