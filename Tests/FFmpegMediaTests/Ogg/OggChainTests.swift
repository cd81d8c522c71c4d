import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Search for the links of an Ogg file")
struct OggChainTests {
    /// Returns the bytes of an Ogg page without content.
    private static func page(_ serial: UInt8, isFirst: Bool) -> [UInt8] {
        var page = Array("OggS".utf8) + [UInt8](repeating: 0, count: OggPage.headSize - 4)
        page[5] = isFirst ? 2 : 0
        page[14] = serial
        return page
    }
    private static let noise: [UInt8] = (0..<50_000).flatMap { _ -> [UInt8] in Array("OggS".utf8) + [0xFF, 0xFF] }

    @Test("the search reads each byte about once, however many positions resemble pages")
    func falsePages() throws {
        let bytes = Self.page(1, isFirst: true) + Self.noise + [UInt8](repeating: 0, count: 200_000) + Self.page(2, isFirst: false)
        let source = CountingSource(bytes)
        #expect(try OggChain.links(source).isEmpty)
        #expect(source.count < 2 * bytes.count)
    }

    @Test("the search finds links between positions that resemble pages")
    func links() throws {
        let first = Self.page(1, isFirst: true) + Self.page(1, isFirst: false) + Self.noise
        let bytes = first + Self.page(2, isFirst: true) + Self.page(2, isFirst: false) + Self.noise.prefix(600)
        let count = Int64(first.count)
        #expect(try OggChain.links(CountingSource(bytes)) == [0..<count, count..<Int64(bytes.count)])
    }

    @Test("the search ends if a file begins with too many streams, of one serial number or of several", arguments: [0, 1])
    func firstPages(_ step: Int) throws {
        let bytes = (0..<20_000).flatMap { Self.page(UInt8(truncatingIfNeeded: $0 * step), isFirst: true) as [UInt8] }
        let source = CountingSource(bytes)
        #expect(try OggChain.links(source).isEmpty)
        #expect(source.count <= 2 * 16_384)
    }

    @Test("the search ends when the interrupt is raised", arguments: [2, 5])
    func interrupted(_ read: Int) throws {
        let bytes = Self.page(1, isFirst: true) + Self.noise + Self.page(2, isFirst: false)
        let interrupt = Interrupt(), source = CountingSource(bytes, raising: interrupt, atRead: read)
        #expect(throws: PlaybackError.cancelled) { try OggChain.links(BudgetedSource(source, interrupt: interrupt)) }
        #expect(source.reads == read)
    }
}
