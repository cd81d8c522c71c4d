import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("The links of an Ogg stream from a server")
struct OggLinkSourceTests {
    private static func parts() throws -> [[UInt8]] {
        try (0..<2).map { number in
            let signal = TestSignal(sampleRate: 8000, channelCount: 1, frameCount: 16_000, seed: UInt64(number + 1))
            let url = try TestMedia.shared.encoded(
                signal, as: "link-\(number)", "ogg", ["-c:a", "libvorbis", "-serial_offset", "\(100 * number + 1)"])
            return try [UInt8](Data(contentsOf: url))
        }
    }

    /// Returns the bytes of each link.
    private static func links(of bytes: [UInt8]) throws -> [[UInt8]] {
        let source = try OggLinkSource(SequentialBytes(bytes))
        var links: [[UInt8]] = [[]]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        repeat {
            while case let count = try source.read(into: buffer), count > 0 { links[links.count - 1] += buffer[..<count] }
            links.append([])
        } while try source.advance()
        return links.dropLast()
    }

    @Test("a connection that ends inside a page does not hide the link that the next one begins with (R-NET-02)", arguments: [1, 3, 5, 40, 700])
    func truncated(_ missing: Int) throws {
        let parts = try Self.parts(), cut = Array(parts[0].dropLast(missing))
        #expect(try Self.links(of: cut + parts[1]) == [cut, parts[1]])
    }

    @Test("a complete page may contain the bytes of another one")
    func contained() throws {
        let parts = try Self.parts()
        // The last page gets a packet more, of a whole first page.
        var starts = [0]
        while let page = OggPage(parts[0][starts[starts.count - 1]...]), starts[starts.count - 1] + page.size < parts[0].count {
            starts.append(starts[starts.count - 1] + page.size)
        }
        let last = try #require(starts.last), inner = Array(parts[1].prefix(58))
        var page = Array(parts[0][last...])
        let count = Int(page[26])
        page[26] += 1
        page.insert(UInt8(inner.count), at: 27 + count)
        page += inner
        let checksum = OggPages.checksum(page)
        for (number, byte) in checksum.enumerated() { page[22 + number] = byte }
        let whole = Array(parts[0][..<last]) + page
        #expect(OggPage.hasValidChecksum(page))
        #expect(try Self.links(of: whole + parts[1]) == [whole, parts[1]])
    }
}
