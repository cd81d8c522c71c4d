import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Chained Ogg streams from a server")
struct StreamedChainTests {
    /// How a server sends a file: in chunks, in requested byte ranges, or always as a whole with its length.
    enum Way: CaseIterable { case chunked, ranged, whole }

    /// Makes a chained Ogg file of links with these lengths, in seconds.
    static func chain(_ codec: String, _ seconds: [Int]) throws -> URL {
        let rate = codec == "opus" ? 48_000 : 8000
        let parts = try seconds.enumerated().map { number, length in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: rate, channelCount: 1, frameCount: rate * length + 111, seed: UInt64(number + 1)), as: "streamed-\(number)",
                "ogg", ["-c:a", "lib\(codec)", "-b:a", "32k", "-serial_offset", "\(100 * number + 1)"])
        }
        return try ChainTests.joined("streamed-\(codec)-\(seconds).ogg", parts)
    }

    static func serve(_ url: URL, _ way: Way) throws -> MediaServer {
        let bytes = try [UInt8](Data(contentsOf: url))
        return try MediaServer { _ in way == .chunked ? .chunked(bytes, size: 5003) : .bytes(bytes, ranges: way == .ranged) }
    }

    @Test(
        "all links play exactly, and no length is exact before the end",
        arguments: ["vorbis", "opus"], [[4, 2], [2, 4], [70, 2], [2, 70], [1, 1, 1]])
    func links(_ codec: String, _ seconds: [Int]) throws {
        let url = try StreamedChainTests.chain(codec, seconds)
        let local = try Reading.open(url), expected = try Reading.samples(local)
        for way in Way.allCases {
            let server = try StreamedChainTests.serve(url, way)
            defer { server.stop() }
            let reader = try RemoteTests.open(server.url("/chain.ogg"))
            #expect(!reader.duration.isExact && reader.info.isLive == (way == .chunked) && reader.info.isSeekable == (way == .ranged), "\(way)")
            let heard = try Reading.samples(reader)
            #expect(heard.count == expected.count && heard == expected, "\(way)")
            #expect(reader.duration == local.duration, "\(way)")
            #expect(reader.skippedPackets == 0)
        }
    }

    @Test("with byte ranges, seeks into earlier and later links are exact, and reading continues into the next link", arguments: ["vorbis", "opus"])
    func seeks(_ codec: String) throws {
        let url = try StreamedChainTests.chain(codec, [4, 2, 3])
        let whole = try Reading.samples(Reading.open(url))
        let server = try StreamedChainTests.serve(url, .ranged)
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/chain.ogg")), rate = reader.info.format.sampleRate
        for seconds in [5.5, 1, 3.99, 8.5, 4.5, 0, 6] {
            let target = Int(seconds * Double(rate)), count = min(rate, whole.count - target)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let heard = try Reading.samples(reader, limit: count)
            #expect(heard.count == count)
            #expect(zip(heard, whole[target...]).allSatisfy { abs($0 - $1) <= 0x1p-15 }, "at \(seconds) s")
        }
        #expect(try reader.seek(to: Int64(whole.count + 1000), before: 0, after: 0) == Int64(whole.count + 1000))
        #expect(try reader.read() == nil)
        #expect(reader.duration == .exact(frames: Int64(whole.count), sampleRate: rate))
    }

    @Test("a precise duration covers all links (R-ASSET-11)")
    func measured() throws {
        let url = try StreamedChainTests.chain("vorbis", [4, 2])
        let server = try StreamedChainTests.serve(url, .ranged)
        defer { server.stop() }
        let source = MediaSource(.remote(url: server.url("/chain.ogg")), prefersPreciseDuration: true)
        let reader = try FFmpegOpener().open(source, interrupt: Interrupt())
        #expect(reader.info.duration == .exact(frames: 6 * 8000 + 222, sampleRate: 8000))
        #expect(try Reading.samples(reader) == Reading.samples(Reading.open(url)))
    }

    @Test("damage is counted when it is played, not when the duration is measured or a seek passes it", arguments: ["vorbis", "opus"])
    func damage(_ codec: String) throws {
        var bytes = try [UInt8](Data(contentsOf: StreamedChainTests.chain(codec, [2, 4, 1])))
        // The damaged bytes are in the middle of the second link.
        for place in (bytes.count * 9 / 16)..<(bytes.count * 9 / 16 + 100) { bytes[place] ^= 0x55 }
        let served = bytes, server = try MediaServer { _ in .bytes(served, ranges: true) }
        defer { server.stop() }
        let plain = try RemoteTests.open(server.url("/")), expected = try Reading.samples(plain)
        #expect(plain.skippedPackets > 0)
        let source = MediaSource(.remote(url: server.url("/")), prefersPreciseDuration: true)
        let measured = try FFmpegOpener().open(source, interrupt: Interrupt())
        #expect(measured.duration == plain.duration && measured.skippedPackets == 0)
        #expect(try Reading.samples(measured).count == expected.count)
        #expect(measured.skippedPackets == plain.skippedPackets)
        let jumped = try RemoteTests.open(server.url("/")), end = Int64(expected.count - 100)
        #expect(try jumped.seek(to: end, before: 0, after: 0) == end && jumped.skippedPackets == 0)
    }

    @Test("a link of another rate is converted to the first one's", arguments: Way.allCases)
    func mixed(_ way: Way) throws {
        let parts = try [(48_000, 2, "9"), (44_100, 1, "77")].map { rate, channels, serial in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: rate, channelCount: channels, frameCount: rate / 2), as: "streamed-mixed", "ogg",
                ["-c:a", "flac", "-serial_offset", serial])
        }
        let url = try ChainTests.joined("streamed-mixed.ogg", parts)
        let server = try StreamedChainTests.serve(url, way)
        defer { server.stop() }
        #expect(try Reading.samples(RemoteTests.open(server.url("/"))) == Reading.samples(Reading.open(url)))
    }

    @Test("an unreadable part between two links is skipped")
    func unreadableLink() throws {
        let good = try [1, 2].map { number in
            try [UInt8](Data(contentsOf: StreamedChainTests.chain("vorbis", number == 1 ? [2] : [1, 1])))
        }
        // Between the links are a stream of one page without audio, and bytes that belong to no page.
        var page = Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 8) + [1, 2, 3, 4] + [UInt8](repeating: 0, count: 8) + [1, 5]
        page += Array("Hello".utf8)
        let other = page.enumerated().map { $0.offset == 5 ? 4 : $0.element }
        let bytes = good[0] + page + other + Array("Oh no, OggX".utf8) + good[1]
        for way in [MediaServer.Answer.chunked(bytes, size: 1), .bytes(bytes, ranges: true)] {
            let server = try MediaServer { _ in way }
            defer { server.stop() }
            let reader = try RemoteTests.open(server.url("/"))
            #expect(try Reading.samples(reader).count == 4 * 8000 + 3 * 111)
            #expect(reader.skippedPackets == 1)
        }
    }

    @Test("a remote Ogg file of one link has an exact length, and opens with few requests")
    func single() throws {
        let signal = TestSignal(frameCount: 44_100 * 20)
        let url = try TestMedia.shared.encoded(signal, as: "streamed-single", "ogg", ["-c:a", "libvorbis", "-b:a", "192k"])
        let server = try StreamedChainTests.serve(url, .ranged)
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/single.ogg"))
        #expect(reader.duration == .exact(frames: 44_100 * 20, sampleRate: 44_100) && reader.info.isSeekable)
        // Nothing is kept without a player: the start and the end are requested for FFmpeg, and again for the search for links.
        #expect(server.requests.count <= 6)
    }
}
