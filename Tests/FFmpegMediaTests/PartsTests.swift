import Foundation
import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("Components of the reader")
struct PartsTests {
    @Test("a URL is split into its components")
    func urls() throws {
        let url = try RemoteURL("HTTPS://User:p%40ss@Example.COM:8443/a b/ü?q=\"1\"#part")
        #expect(url.isSecure && url.host == "example.com" && url.port == 8443 && url.credentials == "User:p%40ss")
        #expect(url.target == "/a%20b/%C3%BC?q=%221%22")
        #expect(url.authority == "example.com:8443")
        #expect(try RemoteURL("http://h?x").target == "/?x")
        #expect(try RemoteURL("http://[2001:DB8::1]:80/").authority == "[2001:db8::1]")
        #expect(try RemoteURL("http://h/").port == 80)
    }

    @Test(
        "malformed URLs are refused",
        arguments: [
            "", "http", "http:/h", "http://", "http:///x", "http://h:0/", "http://h:99999/", "http://h:1x/", "http://a b/", "http://[::1",
            "http://h\r\n/",
            "http://h/\nX: y", "http://[g::1]/", "http://ex\u{E4}mple/", "javascript:1", "http://a@b@c:d/",
        ])
    func badURLs(_ text: String) {
        #expect(throws: PlaybackError.self) { try RemoteURL(text) }
    }

    @Test(
        "relative references in redirects are resolved",
        arguments: [
            ("/x", "http://h:81/x"), ("y", "http://h:81/a/y"), ("//o/z", "http://o/z"), ("https://s/", "https://s/"), ("?q", "http://h:81/a/?q"),
        ])
    func references(_ reference: String, _ expected: String) throws {
        let base = try RemoteURL("http://h:81/a/b?c/d")
        #expect(try base.redirected(to: reference) == RemoteURL(expected))
    }

    @Test("a combining mark after a delimiter does not hide it", arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"])
    func hiddenDelimiters(_ mark: String) throws {
        // As characters, "/" and a mark are one that is not a slash, so the host would continue after it.
        let url = try RemoteURL("http://h/\(mark)@evil/?\(mark)#\(mark)")
        #expect(url.host == "h" && url.credentials == nil)
        #expect(url.target.hasPrefix("/%") && url.target.hasSuffix("@evil/?" + url.target.dropFirst().prefix { $0 != "@" }))
        #expect(throws: PlaybackError.self) { try RemoteURL("http://h:\(mark)80/") }
        #expect(throws: PlaybackError.self) { try RemoteURL("http://h\(mark)/") }
        let base = try RemoteURL("http://h:81/a/b")
        #expect(try base.redirected(to: "/\(mark)x").host == "h")
        #expect(try base.redirected(to: "//o/\(mark)x").host == "o")
        #expect(throws: PlaybackError.self) { try base.redirected(to: "//\(mark)o/x") }
        #expect(throws: PlaybackError.self) { try base.redirected(to: "ftp:\(mark)//o/x") }
    }

    @Test("a redirect to combining marks is one path, and too long a redirect is refused")
    func longReferences() throws {
        let base = try RemoteURL("http://h/a/b")
        let marks = String(repeating: "\u{301}", count: 2000)
        #expect(try base.redirected(to: "x" + marks).target == "/a/x" + String(repeating: "%CC%81", count: 2000))
        #expect(throws: PlaybackError.self) { try base.redirected(to: "x" + String(repeating: "\u{301}", count: 200_000)) }
    }

    @Test("public addresses are distinguished from all others")
    func addresses() {
        let closed: [[UInt8]] = [
            [0, 0, 0, 0], [10, 1, 2, 3], [127, 0, 0, 1], [100, 64, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1], [172, 31, 255, 1], [192, 168, 1, 1],
            [192, 0, 0, 1], [192, 0, 2, 1], [198, 18, 0, 1], [198, 51, 100, 1], [203, 0, 113, 1], [224, 0, 0, 1], [255, 255, 255, 255],
        ]
        let free: [[UInt8]] = [[1, 1, 1, 1], [8, 8, 8, 8], [100, 128, 0, 1], [172, 32, 0, 1], [192, 0, 3, 1], [198, 20, 0, 1], [223, 1, 1, 1]]
        for bytes in closed { #expect(!NetworkAddress(bytes: bytes).isPublic, "\(bytes)") }
        for bytes in free { #expect(NetworkAddress(bytes: bytes).isPublic, "\(bytes)") }
        // The same addresses inside IPv6: mapped, NAT64, 6to4.
        for (list, isPublic) in [(closed, false), (free, true)] {
            for bytes in list {
                #expect(NetworkAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes).isPublic == isPublic)
                #expect(NetworkAddress(bytes: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes).isPublic == isPublic)
                #expect(NetworkAddress(bytes: [0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)).isPublic == isPublic)
            }
        }
        for head in [[0xFC], [0xFD], [0xFE, 0x80], [0xFF, 0x02], [0x20, 0x01, 0x0D, 0xB8], [0x20, 0x01, 0, 0], [0, 0]] as [[UInt8]] {
            #expect(!NetworkAddress(bytes: head + [UInt8](repeating: 0, count: 15 - head.count) + [1]).isPublic)
        }
        #expect(NetworkAddress(bytes: [0x26, 0x06, 0x47, 0] + [UInt8](repeating: 0, count: 12)).isPublic)
        #expect(NetworkAddress(bytes: [127, 0, 0, 1]).text == "127.0.0.1")
    }

    @Test("HTTP response heads are parsed, and anything else is refused")
    func heads() throws {
        let reply = try #require(HTTPReply(Array("HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/20\r\nCONTENT-LENGTH:  5 \r\nX".utf8)))
        #expect(reply.status == 206 && reply.contentLength == 5)
        #expect(reply.contentRange?.first == 5 && reply.contentRange?.length == 20)
        #expect(HTTPReply(Array("ICY 200 OK\n".utf8))?.status == 200)
        for bad in ["", "HTTP/1.1", "HTTP/2 200 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 99 OK", "GET / HTTP/1.1"] {
            #expect(HTTPReply(Array(bad.utf8)) == nil, "\(bad)")
        }
        let odd = try #require(HTTPReply(Array("HTTP/1.1 200 OK\r\nContent-Length: -5\r\nContent-Range: bytes 9-1/x".utf8)))
        #expect(odd.contentLength == nil)
    }

    @Test("MPEG audio headers are parsed, and invalid ones refused")
    func mpegHeaders() throws {
        func header(_ bytes: [UInt8]) -> MPEGAudioHeader? { bytes.withUnsafeBufferPointer { MPEGAudioHeader($0) } }
        let common = try #require(header([0xFF, 0xFB, 0x90, 0x00]))
        #expect(common.sampleRate == 44_100 && common.frameSize == 417 && common.samples == 1152 && common.channels == 2 && common.layer == 3)
        let low = try #require(header([0xFF, 0xE3, 0x18, 0xC4]))
        #expect(low.sampleRate == 8000 && low.samples == 576 && low.channels == 1)
        for bad in [
            [0xFF, 0xFB, 0xF0, 0], [0xFF, 0xFB, 0x9C, 0], [0xFF, 0xEB, 0x90, 0], [0xFF, 0xF9, 0x90, 0], [0xFE, 0xFB, 0x90, 0], [0xFF, 0xFB],
        ] as [[UInt8]] {
            #expect(header(bad) == nil)
        }
    }

    @Test("FLAC frame headers give the position of their frame")
    func flacHeaders() throws {
        func header(_ bytes: [UInt8]) -> FLACFrameHeader? { bytes.withUnsafeBufferPointer { FLACFrameHeader($0) } }
        let fixed = try #require(header([0xFF, 0xF8, 0xC9, 0x18, 0x05, 0xAA, 0, 0]))
        #expect(fixed.hasFixedBlockSize && fixed.number == 5 && fixed.blockSize == 4096)
        let long = try #require(header([0xFF, 0xF9, 0x79, 0x18, 0xC4, 0x80, 0x12, 0x33, 0]))
        #expect(!long.hasFixedBlockSize && long.number == 256 && long.blockSize == 0x1234)
        #expect(header([0xFF, 0xF8, 0xC9, 0x18, 0x80, 0, 0, 0]) == nil)
        #expect(header([0xFF, 0xF8, 0xC9, 0x18, 0xC4, 0x00, 0, 0]) == nil)
        #expect(header([0xFF, 0xF8]) == nil)
    }

    @Test("iTunSMPB is parsed if its values are plausible")
    func gapless() {
        let note = ITunesGapless(" 00000000 00000840 000001CA 00000000003F31F6 00000000 00000000")
        #expect(note == ITunesGapless("0 840 1ca 3f31f6"))
        #expect(note?.priming == 2112 && note?.padding == 458 && note?.samples == 4_141_558)
        for bad in ["", "0 840 1ca", "0 x 1ca 3f31f6", "0 840 1ca 0", "0 FFFFFFFF 0 1", "0 840 1ca 7FFFFFFFFFFFFFFF"] {
            #expect(ITunesGapless(bad) == nil)
        }
    }

    @Test("frames are converted between rates exactly")
    func ratios() {
        let ratio = Ratio(from: 44_100, to: 48_000)
        #expect(ratio.input == 147 && ratio.output == 160)
        #expect(ratio.outputFrames(147) == 160 && ratio.outputFrames(1) == 1 && ratio.inputFrame(at: 159) == 146)
        #expect(Ratio(from: 48_000, to: 48_000).outputFrames(12_345) == 12_345)
    }
}
