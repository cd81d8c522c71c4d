import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("The bytes that FFmpeg receives")
struct HeadSourceTests {
    @Test("bytes that are read again are not known to exist twice, and bytes between the read ones are not known to exist")
    func knownLength() throws {
        let source = HeadSource(ClaimedBytes([1, 2, 3], length: 1 << 30, limit: 1 << 30))
        source.stopKeeping()
        for _ in 0..<3 {
            #expect(try source.bytes(0..<10_000).count == 10_000)
            #expect(try source.bytes(5000..<12_000).count == 7000)
            #expect(source.knownLength == 12_000)
        }
        #expect(try source.bytes((1 << 29)..<(1 << 29 + 100)).count == 100)
        #expect(source.knownLength == 12_100)
    }

    @Test("parts that are kept during the opening are known to exist, once")
    func kept() throws {
        let source = HeadSource(ClaimedBytes([1, 2, 3], length: 1 << 30, limit: 1 << 30))
        for _ in 0..<2 {
            try source.keep(1 << 20, count: 1000)
            #expect(try source.bytes((1 << 20)..<(1 << 20 + 500)).count == 500)
            #expect(source.knownLength == 1000)
        }
    }
}
