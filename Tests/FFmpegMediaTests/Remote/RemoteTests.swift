import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Remote media")
struct RemoteTests {
    static let signal = TestSignal(frameCount: 44_100 * 3 + 77)

    static func flac() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "remote", "flac", ["-c:a", "flac"])))
    }
    static var source: [Float] { signal.integers(bits: 16).map { Float($0) * 0x1p-15 } }

    static func open(
        _ url: String, headers: [MetadataEntry] = [], allowsPrivate: Bool = true, interrupt: Interrupt = Interrupt()
    ) throws(PlaybackError) -> any AudioReader {
        try FFmpegOpener().open(MediaSource(.remote(url: url), httpHeaders: headers, allowsPrivateAddresses: allowsPrivate), interrupt: interrupt)
    }

    /// Opens the medium at a URL. Returns the code of the error; nil if the medium is opened.
    static func failure(_ url: String, allowsPrivate: Bool = true, interrupt: Interrupt = Interrupt()) -> PlaybackError.Code? {
        do {
            _ = try open(url, allowsPrivate: allowsPrivate, interrupt: interrupt)
            return nil
        } catch { return error.code }
    }

    @Test("a medium with byte ranges plays and seeks exactly")
    func ranges() throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/a%20b.flac?x=1"))
        #expect(reader.info.isSeekable && !reader.info.isLive)
        let source = RemoteTests.source
        #expect(try Reading.samples(reader) == source)
        #expect(try reader.seek(to: 50_000, before: 0, after: 0) == 50_000)
        #expect(try Reading.samples(reader, limit: 5000) == source.frames(50_000..<55_000, of: 2))
        #expect(server.requests.first?.target == "/a%20b.flac?x=1")
        #expect(server.requests.first?.fields["host"] == "127.0.0.1:\(server.port)")
    }

    @Test("an MP4 whose header is at its end plays")
    func headerAtEnd() throws {
        let url = try TestMedia.shared.encoded(RemoteTests.signal, as: "remote-end", "m4a", ["-c:a", "alac"])
        let bytes = try [UInt8](Data(contentsOf: url))
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        #expect(try Reading.samples(RemoteTests.open(server.url("/end.m4a"))) == RemoteTests.source)
    }

    @Test("without byte ranges a medium plays from the start and is not seekable")
    func withoutRanges() throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .bytes(bytes, ranges: false) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/a.flac"))
        #expect(!reader.info.isSeekable)
        #expect(try Reading.samples(reader) == RemoteTests.source)
        #expect(throws: PlaybackError.self) { try reader.seek(to: 100, before: 0, after: 0) }
    }

    @Test("a chunked response without a length is finite if the container states its end (R-NET-09)", arguments: [1, 777, 100_000])
    func chunked(_ size: Int) throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .chunked(bytes, size: size) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/song"))
        #expect(!reader.info.isLive && !reader.info.isSeekable)
        #expect(reader.info.duration.seconds == Double(RemoteTests.signal.frameCount) / 44_100)
        #expect(try Reading.samples(reader) == RemoteTests.source)
    }

    @Test("a response without a length is live if the container states no end (R-NET-09)")
    func endless() throws {
        let bytes = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(RemoteTests.signal, as: "endless", "aac", ["-c:a", "aac"])))
        let server = try MediaServer { _ in .chunked(bytes, size: 4000) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/radio"))
        #expect(reader.info.isLive && !reader.info.isSeekable && reader.info.duration == .unknown)
    }

    @Test("a response with the header fields of a radio station is live, whatever the container states (R-NET-09)")
    func station() throws {
        let head = Array("HTTP/1.1 200 OK\r\nicy-name: Radio\r\n\r\n".utf8), bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .sequence([head, bytes]) }
        defer { server.stop() }
        #expect(try RemoteTests.open(server.url("/radio")).info.isLive)
    }

    @Test("an interrupted connection is resumed at the same byte")
    func reconnects() throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .dropping(bytes, after: 60_000) }
        defer { server.stop() }
        #expect(try Reading.samples(RemoteTests.open(server.url("/a.flac"))) == RemoteTests.source)
        #expect(server.requests.count > 2)
    }

    @Test("redirects, relative ones too, are followed; credentials and header fields are sent only to their own origin")
    func redirects() throws {
        let bytes = try RemoteTests.flac()
        let target = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { target.stop() }
        let location = target.url("/final.flac")
        let server = try MediaServer { request in
            request.target == "/one/a"
                ? .raw("HTTP/1.1 302 Found\r\nLocation: b\r\n\r\n") : .raw("HTTP/1.1 307 Later\r\nLocation: \(location)\r\n\r\n")
        }
        defer { server.stop() }
        let url = "http://me:s%40cret@127.0.0.1:\(server.port)/one/a"
        let reader = try RemoteTests.open(url, headers: [MetadataEntry(key: "X-Token", value: "t"), MetadataEntry(key: "Bad\r\nName", value: "x")])
        #expect(reader.info.codecName == "flac")
        #expect(server.requests.map(\.target) == ["/one/a", "/one/b"])
        #expect(server.requests.allSatisfy { $0.fields["x-token"] == "t" && $0.fields["authorization"] == "Basic bWU6c0BjcmV0" })
        #expect(target.requests.allSatisfy { $0.fields["x-token"] == nil && $0.fields["authorization"] == nil })
    }

    @Test("redirects in a circle end with an error")
    func circle() throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n") }
        defer { server.stop() }
        #expect(RemoteTests.failure(server.url("/")) == .network)
        #expect(server.requests.count < 20)
    }

    @Test(
        "a redirect to another scheme than http is refused",
        arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "concat:/etc/passwd", "tcp://127.0.0.1:1", "data:,x"])
    func foreignRedirect(_ location: String) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 302 Found\r\nLocation: \(location)\r\n\r\n") }
        defer { server.stop() }
        #expect(RemoteTests.failure(server.url("/")) == .unsupportedScheme)
    }

    @Test(
        "private addresses are refused unless they are allowed, whatever their spelling",
        arguments: [
            "127.0.0.1", "localhost", "[::1]", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "169.254.169.254",
        ])
    func privateAddress(_ host: String) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 200 OK\r\n\r\n") }
        defer { server.stop() }
        #expect(RemoteTests.failure("http://\(host):\(server.port)/", allowsPrivate: false) == .addressNotAllowed)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "each error status has its own error code",
        arguments: [(404, PlaybackError.Code.fileNotFound), (403, .permissionDenied), (500, .network), (204, .network)])
    func status(_ status: Int, _ code: PlaybackError.Code) throws {
        let server = try MediaServer { _ in .raw("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") }
        defer { server.stop() }
        #expect(RemoteTests.failure(server.url("/x")) == code)
    }

    @Test(
        "an invalid response or one that is not media fails with an error",
        arguments: ["garbage", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"])
    func badAnswer(_ answer: String) throws {
        let server = try MediaServer { _ in .raw(answer) }
        defer { server.stop() }
        let expected: PlaybackError.Code = answer == "garbage" ? .network : .unsupportedFormat
        #expect(RemoteTests.failure(server.url("/x")) == expected)
    }

    @Test("an unreachable server gives a network error, and another scheme unsupportedScheme")
    func unreachable() throws {
        let server = try MediaServer { _ in .silence }
        server.stop()
        #expect(RemoteTests.failure(server.url("/x")) == .network)
        #expect(RemoteTests.failure("ftp://127.0.0.1/x") == .unsupportedScheme)
        #expect(RemoteTests.failure("file:///etc/passwd") == .unsupportedScheme)
        #expect(RemoteTests.failure("not a url") == .unsupportedScheme)
    }

    @Test("an interrupt ends the wait for a server that never answers")
    func interrupted() throws {
        // The server's own thread raises the interrupt. A task could begin too late on a busy machine, after the time-out.
        let interrupt = Interrupt()
        let server = try MediaServer { _ in
            interrupt.raise()
            return .silence
        }
        defer { server.stop() }
        #expect(RemoteTests.failure(server.url("/x"), interrupt: interrupt) == .cancelled)
    }

    @Test("a playlist of ffmpeg from a server opens nothing")
    func playlist() throws {
        let server = try MediaServer { _ in .bytes(Array("ffconcat version 1.0\nfile /etc/passwd\n".utf8), ranges: true) }
        defer { server.stop() }
        #expect(RemoteTests.failure(server.url("/list.m3u8")) == .unsupportedFormat)
        #expect(server.requests.allSatisfy { $0.target == "/list.m3u8" })
    }

    @Test("a container that is longer than the stated length plays to that length (R-NET-13)")
    func truncatedContainer() throws {
        let bytes = Array(try RemoteTests.flac().prefix(60_000))
        let server = try KeptServer { .part(of: bytes, $0) }
        defer { server.stop() }
        let samples = try Reading.samples(RemoteTests.open(server.url("/a.flac"))), whole = RemoteTests.source
        // The last frame is incomplete, so its samples are not those of the medium.
        let complete = samples.count - 2 * 4608
        #expect(complete > 10_000 && samples.count < whole.count && samples[..<complete] == whole[..<complete])
    }

    @Test("every request and every received byte is counted, with the server's address (R-LOG-02)")
    func counting() throws {
        let bytes = try RemoteTests.flac()
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        let meter = TransferMeter()
        var source = MediaSource(.remote(url: server.url("/a.flac")))
        source.meter = meter
        let reader = try FFmpegOpener().open(source, interrupt: Interrupt())
        #expect(meter.reading.requestCount >= 1 && meter.reading.byteCount > 0)
        #expect(try Reading.samples(reader) == RemoteTests.source)
        let reading = meter.reading
        #expect(reading.requestCount == server.requests.count)
        #expect(reading.byteCount >= Int64(bytes.count) && reading.seconds >= 0)
        #expect(reading.serverAddress == "127.0.0.1" && reading.addressChangeCount == 0)
    }

    @Test("in a remote MP3 without index, a tolerant seek requests only the bytes near its target and returns the landing")
    func estimatedSeek() throws {
        let signal = TestSignal(frameCount: 44_100 * 60)
        let url = try TestMedia.shared.encoded(
            signal, as: "remote-long", "mp3", ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0"])
        let bytes = try [UInt8](Data(contentsOf: url))
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        let reader = try RemoteTests.open(server.url("/long.mp3"))
        let target: Int64 = 44_100 * 45
        let landed = try reader.seek(to: target, before: 44_100 * 5, after: 44_100 * 5)
        #expect(abs(landed - target) <= 44_100 * 5)
        #expect(server.requests.contains { $0.start > bytes.count / 2 })
        let heard = try Reading.samples(reader, limit: 20_000)
        let whole = try Reading.samples(Reading.open(url))
        let around = whole.frames((Int(landed) + 4000 - 3000)..<(Int(landed) + 16_000 + 3000), of: 2).channel(0, of: 2)
        let found = SampleComparison.alignment(around, Array(heard.channel(0, of: 2)[1000..<19_000]), reach: 2900)
        #expect(found.likeness > 0.99, "the samples are those of the file near the landing")
        // A later seek without tolerances is exact again.
        #expect(try reader.seek(to: target, before: 0, after: 0) == target)
        #expect(try Reading.samples(reader, limit: 3000) == whole.frames(Int(target)..<Int(target) + 3000, of: 2))
    }
}
