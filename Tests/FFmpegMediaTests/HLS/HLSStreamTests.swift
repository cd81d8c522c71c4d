import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

/// Streams of HTTP Live Streaming that are complete, from a server to their samples.
@Suite("HLS streams")
struct HLSStreamTests {
    private static let signal = TestSignal(frameCount: 5 * 44_100 + 777)
    private static var samples: [Float] { signal.integers(bits: 16).map { Float($0) * 0x1p-15 } }

    /// A form of segments that ffmpeg makes.
    struct Form: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        var rate = 44_100
        var testDescription: String { name }

        func folder() throws -> HLSFolder {
            try HLSFolder(TestSignal(sampleRate: rate, frameCount: 5 * rate + 777), as: name, arguments)
        }
    }
    private static let aac = ["-c:a", "aac", "-b:a", "128k", "-aac_pns", "0"]
    static let forms = [
        Form(name: "aac-ts", arguments: aac), Form(name: "mp3-ts", arguments: ["-c:a", "libmp3lame", "-b:a", "128k"]),
        Form(name: "ranges-ts", arguments: aac + ["-hls_flags", "single_file"]),
        Form(name: "aac-fmp4", arguments: aac + ["-hls_segment_type", "fmp4"]),
        Form(name: "ranges-fmp4", arguments: aac + ["-hls_segment_type", "fmp4", "-hls_flags", "single_file"]),
        Form(name: "flac-fmp4", arguments: ["-c:a", "flac", "-strict", "-2", "-hls_segment_type", "fmp4"]),
        Form(name: "opus-fmp4", arguments: ["-c:a", "libopus", "-b:a", "96k", "-hls_segment_type", "fmp4"], rate: 48_000),
    ]

    // MARK: Samples

    @Test("FLAC in fragments of MP4 gives the samples of the source, and the exact length at its end")
    func lossless() throws {
        let folder = try HLSFolder.flac(Self.signal)
        let server = try folder.server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server)
        #expect(reader.info.isSeekable && reader.info.isSegmented && !reader.info.isLive && !reader.duration.isExact)
        #expect(abs((reader.duration.seconds ?? 0) - folder.statedDuration) < 0.001)
        #expect(try Reading.samples(reader) == Self.samples)
        #expect(reader.duration == .exact(frames: Int64(Self.signal.frameCount), sampleRate: 44_100) && reader.skippedPackets == 0)
    }

    @Test("AAC in a transport stream gives the samples of the joined segments (R-HLS-01)")
    func joined() throws {
        let folder = try Self.forms[0].folder()
        let joined = try TestMedia.shared.file("hls-joined.ts") { url in
            try Data(folder.segments.flatMap { folder.files[$0] ?? [] }).write(to: url)
        }
        let expected = try Reading.samples(Reading.open(joined))
        let server = try folder.server()
        defer { server.stop() }
        #expect(try Reading.samples(HLSFolder.open(server)) == expected)
    }

    @Test("a seek lands on the sample in every form (R-HLS-02)", arguments: HLSStreamTests.forms)
    func seeks(_ form: Form) throws {
        let server = try form.folder().server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server), channels = reader.info.format.channelCount
        let whole = try Reading.samples(reader)
        #expect(abs(whole.count / channels - 5 * form.rate) < form.rate / 4)
        var random = SplitMix64(state: 46)
        for _ in 0..<20 {
            let target = Int64(random.next() % UInt64(whole.count / channels - 4096))
            #expect(try reader.seek(to: target, before: 0, after: 0) == target)
            let block = try #require(try reader.read())
            #expect(block.position == target && !reader.isPositionEstimated)
            #expect(Reading.difference(block, whole, first: 2 * Int(target)) <= 1e-4, "\(target)")
        }
    }

    @Test("a seek in the middle transfers neither the segments before nor those far after")
    func requests() throws {
        let server = try HLSFolder.flac(Self.signal).server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server)
        _ = try reader.seek(to: 3 * 44_100 + 22_050, before: 0, after: 0)
        _ = try reader.read()
        #expect(server.requests.map(\.target).filter { $0.hasSuffix(".m4s") } == ["/list0.m4s", "/list3.m4s"])
    }

    @Test("the date of the first sample is that of the playlist")
    func date() throws {
        var folder = try HLSFolder.flac(Self.signal)
        let name = folder.segments[1].dropFirst()
        folder["/list.m3u8"] = folder["/list.m3u8"]
            .replacingOccurrences(of: "\n\(name)", with: "\n#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z\n\(name)")
        let server = try folder.server()
        defer { server.stop() }
        let date = try #require(try HLSFolder.open(server).info.startDate)
        let first = Double(Self.frames(folder, 0).count) / 44_100
        #expect(abs(date - (1_577_836_800 - first)) < 0.001)
    }

    @Test("a precise duration needs the last segment only")
    func precise() throws {
        let folder = try HLSFolder.flac(Self.signal), server = try folder.server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server, precise: true)
        #expect(reader.duration == .exact(frames: Int64(Self.signal.frameCount), sampleRate: 44_100))
        #expect(!server.requests.map(\.target).contains(folder.segments[1]))
        #expect(try Reading.samples(reader) == Self.samples)
    }

    @Test("the segments of a stream are requested over one connection (R-HLS-06)")
    func connections() throws {
        let folder = try HLSFolder.flac(Self.signal)
        let server = try KeptServer { .part(of: folder.files[$0.target] ?? [], $0) }
        defer { server.stop() }
        let reader = try FFmpegOpener().open(MediaSource(.remote(url: server.url("/list.m3u8"))), interrupt: Interrupt())
        #expect(try Reading.samples(reader) == Self.samples)
        // The playlist has one, and the map and all segments another.
        #expect(server.requests.count == 2 + folder.segments.count && server.connectionCount == 2)
    }

    // MARK: Packed audio

    /// Cuts a stream without container into segments of whole frames, each after a tag with a timestamp.
    private static func packed(_ kind: String, _ arguments: [String], stamp: (Int) -> UInt64?) throws -> (folder: HLSFolder, whole: [Float]) {
        let url = try TestMedia.shared.encoded(signal, as: "hls-packed", kind, arguments)
        let whole = try Reading.samples(Reading.open(url)), bytes = try [UInt8](Data(contentsOf: url))
        // Every frame begins with these bytes, and the length of each follows from its header.
        var cuts: [Int] = [], offset = 0, frame = 0
        while offset + 7 <= bytes.count {
            if frame % 43 == 0 { cuts.append(offset) }
            frame += 1
            offset += (Int(bytes[offset + 3] & 3) << 11) | (Int(bytes[offset + 4]) << 3) | Int(bytes[offset + 5] >> 5)
        }
        var files: [String: [UInt8]] = [:], list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for (number, start) in cuts.enumerated() {
            let end = number + 1 < cuts.count ? cuts[number + 1] : bytes.count
            files["/\(number).aac"] = (stamp(number).map(tag) ?? []) + bytes[start..<end]
            list += "#EXTINF:\(Double(43 * 1024) / 44_100),\n\(number).aac\n"
        }
        files["/list.m3u8"] = Array((list + "#EXT-X-ENDLIST\n").utf8)
        return (HLSFolder(files: files), whole)
    }

    /// The ID3 tag with the timestamp of a packed segment (RFC 8216, section 3.4).
    private static func tag(_ timestamp: UInt64) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
        let body = owner + (0..<8).map { UInt8(truncatingIfNeeded: timestamp >> (8 * (7 - UInt64($0)))) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    private static let adts = ["-c:a", "aac", "-b:a", "128k", "-aac_pns", "0", "-f", "adts"]
    /// The timestamp of a segment of 43 frames, which begin again within the stream, because they have 33 bits.
    private static func timestamp(_ number: Int) -> UInt64 { ((1 << 33) - 150_000 + UInt64(number * 43 * 1024 * 90_000 / 44_100)) % (1 << 33) }

    @Test("packed AAC plays without its tags, and a seek lands on the sample by their timestamps, although they begin again")
    func packedAAC() throws {
        let (folder, whole) = try Self.packed("aac", Self.adts) { Self.timestamp($0) }
        let server = try folder.server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server)
        #expect(try Reading.samples(reader) == whole && reader.skippedPackets == 0)
        for target: Int64 in [150_000, 44_032, 200_000, 3] {
            #expect(try reader.seek(to: target, before: 0, after: 0) == target)
            let block = try #require(try reader.read())
            #expect(Reading.difference(block, whole, first: 2 * Int(target)) <= 1e-4 && !reader.isPositionEstimated, "\(target)")
        }
    }

    @Test("if the timestamps of packed AAC are missing or jump, an exact seek reads everything before it", arguments: [true, false])
    func packedWithoutTimestamps(_ isMissing: Bool) throws {
        let (folder, whole) = try Self.packed("aac", Self.adts) { isMissing ? nil : UInt64($0 % 2) * 90_000_000 }
        let server = try folder.server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server)
        #expect(try reader.seek(to: 150_000, before: 0, after: 0) == 150_000)
        let block = try #require(try reader.read())
        #expect(Reading.difference(block, whole, first: 300_000) <= 1e-4 && !reader.isPositionEstimated)
        #expect(try Reading.samples(HLSFolder.open(server)) == whole)
    }

    // MARK: Missing segments

    /// The range of frames of a segment of the lossless stream, of which all have whole frames of 4608 samples.
    private static func frames(_ folder: HLSFolder, _ number: Int) -> Range<Int> {
        let durations = folder["/list.m3u8"].split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#EXTINF:") }.map {
            Int((Double($0.dropFirst(8).dropLast()) ?? 0) * 44_100 + 0.5)
        }
        let start = durations.prefix(number).reduce(0, +)
        return start..<(start + durations[number])
    }

    @Test("a segment that the server does not have, or that is marked as a gap, is silence of its length (R-HLS-04)", arguments: [true, false])
    func missing(_ isMarked: Bool) throws {
        var folder = try HLSFolder.flac(Self.signal)
        let path = folder.segments[2], range = Self.frames(folder, 2)
        folder.files[path] = nil
        if isMarked {
            let name = path.dropFirst()
            folder["/list.m3u8"] = folder["/list.m3u8"].replacingOccurrences(of: "\n\(name)", with: "\n#EXT-X-GAP\n\(name)")
        }
        let server = try folder.server()
        defer { server.stop() }
        var expected = Self.samples
        for index in (2 * range.lowerBound)..<(2 * range.upperBound) { expected[index] = 0 }
        let reader = try HLSFolder.open(server)
        #expect(try Reading.samples(reader) == expected)
        #expect(server.requests.contains { $0.target == path } == !isMarked)
        let target = Int64(range.lowerBound - 100)
        #expect(try reader.seek(to: target, before: 0, after: 0) == target)
        let block = try #require(try reader.read())
        #expect(Reading.difference(block, expected, first: 2 * Int(target)) == 0)
    }

    @Test("a stream whose first segment is missing begins with silence, one without any segment fails with the server's error")
    func missingStart() throws {
        var folder = try HLSFolder.flac(Self.signal)
        let range = Self.frames(folder, 0)
        folder.files[folder.segments[0]] = nil
        let server = try folder.server()
        defer { server.stop() }
        var expected = Self.samples
        for index in 0..<(2 * range.upperBound) { expected[index] = 0 }
        #expect(try Reading.samples(HLSFolder.open(server)) == expected)
        for path in folder.segments { folder.files[path] = nil }
        let empty = try folder.server()
        defer { empty.stop() }
        #expect(Reading.failure(empty.url("/list.m3u8"))?.code == .fileNotFound)
    }

    @Test("a stream ends before gaps at its end, also before more than ten, and its precise duration too")
    func finalGaps() throws {
        var folder = try HLSFolder.flac(Self.signal)
        let gaps = (0..<12).map { "#EXT-X-GAP\n#EXTINF:1,\ngap\($0).m4s\n" }.joined()
        folder["/list.m3u8"] = folder["/list.m3u8"].replacingOccurrences(of: "#EXT-X-ENDLIST", with: gaps + "#EXT-X-ENDLIST")
        let server = try folder.server()
        defer { server.stop() }
        #expect(try Reading.samples(HLSFolder.open(server)) == Self.samples)
        let reader = try HLSFolder.open(server, precise: true)
        #expect(reader.duration == .exact(frames: Int64(Self.signal.frameCount), sampleRate: 44_100))
    }

    // MARK: Discontinuities

    @Test("after a discontinuity another sample rate is converted, and a seek lands on the sample (R-HLS-03)")
    func discontinuity() throws {
        let first = try HLSFolder.flac(Self.signal)
        let second = try HLSFolder.flac(TestSignal(sampleRate: 48_000, frameCount: 3 * 48_000, seed: 5))
        var files: [String: [UInt8]] = [:]
        for (prefix, folder) in [("/a", first), ("/b", second)] { for (path, bytes) in folder.files { files[prefix + path] = bytes } }
        func lines(_ folder: HLSFolder, _ prefix: String) -> String {
            folder["/list.m3u8"].replacingOccurrences(of: "\nlist", with: "\n\(prefix)/list")
                .replacingOccurrences(of: "URI=\"", with: "URI=\"\(prefix)/").replacingOccurrences(of: "#EXT-X-ENDLIST\n", with: "")
        }
        let tail = lines(second, "b").replacingOccurrences(of: "#EXTM3U\n", with: "#EXT-X-DISCONTINUITY\n")
        files["/list.m3u8"] = Array((lines(first, "a") + tail + "#EXT-X-ENDLIST\n").utf8)
        let server = try HLSFolder(files: files).server()
        defer { server.stop() }
        let reader = try HLSFolder.open(server), whole = try Reading.samples(reader)
        #expect(whole.count / 2 == Self.signal.frameCount + 3 * 44_100)
        #expect(Array(whole.prefix(Self.samples.count)) == Self.samples)
        for target in [Self.signal.frameCount + 70_000, 1000, Self.signal.frameCount - 10, Self.signal.frameCount + 5] {
            let other = try HLSFolder.open(server)
            #expect(try other.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let block = try #require(try other.read())
            #expect(Reading.difference(block, whole, first: 2 * target) <= 1e-6, "\(target)")
        }
    }

    // MARK: Encryption

    private static func encrypted(_ vector: String?, _ form: Form) throws -> HLSFolder {
        let name = "\(form.name)-\(vector == nil ? "number" : "vector")"
        let key = try TestMedia.shared.file("hls-\(name).key") { try Data(0..<16).write(to: $0) }
        let info = try TestMedia.shared.file("hls-\(name).info") { try Data("key.bin\n\(key.path)\n\(vector ?? "")\n".utf8).write(to: $0) }
        var folder = try HLSFolder(signal, as: "encrypted-\(name)", form.arguments + ["-hls_key_info_file", info.path])
        folder.files["/key.bin"] = Array(0..<16)
        // ffmpeg states the vector also if it is the number of the segment.
        if vector == nil {
            folder["/list.m3u8"] = folder["/list.m3u8"].replacingOccurrences(of: ",IV=0x[0-9a-f]*", with: "", options: .regularExpression)
        }
        return folder
    }

    @Test("segments that are encrypted with AES-128 play, with a vector and without", arguments: [nil, "000102030405060708090a0b0c0d0e0f"])
    func encrypted(_ vector: String?) throws {
        let plain = try Self.forms[0].folder().server(), folder = try Self.encrypted(vector, Self.forms[0])
        let server = try folder.server()
        defer {
            plain.stop()
            server.stop()
        }
        #expect(folder["/list.m3u8"].contains("METHOD=AES-128") && folder["/list.m3u8"].contains("IV=") == (vector != nil))
        #expect(try Reading.samples(HLSFolder.open(server)) == Reading.samples(HLSFolder.open(plain)))
        // The key of all segments is requested once.
        #expect(server.requests.filter { $0.target == "/key.bin" }.count == 1)
    }

    @Test("a key that is missing, has another length, or is of a licence system ends the opening with its reason")
    func refusedKeys() throws {
        var folder = try Self.encrypted(nil, Self.forms[0])
        folder.files["/key.bin"] = Array(0..<15)
        let short = try folder.server()
        defer { short.stop() }
        #expect(Reading.failure(short.url("/list.m3u8"))?.message == "The key of the stream does not have 16 bytes.")
        folder["/list.m3u8"] = folder["/list.m3u8"].replacingOccurrences(of: "AES-128", with: "SAMPLE-AES")
        let protected = try folder.server()
        defer { protected.stop() }
        #expect(Reading.failure(protected.url("/list.m3u8"))?.message == "The stream is protected and cannot be decoded.")
    }

    // MARK: Variants

    @Test("of a master playlist the first variant that can be opened is played, with the query of its address (R-HLS-05)")
    func variants() throws {
        var folder = try HLSFolder.flac(Self.signal)
        folder["/master.m3u8"] = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlist.m3u8?low=1\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nmissing.m3u8\n"
        let server = try folder.server()
        defer { server.stop() }
        #expect(try Reading.samples(HLSFolder.open(server, "/master.m3u8")) == Self.samples)
        #expect(server.requests.map(\.target).prefix(3) == ["/master.m3u8", "/missing.m3u8", "/list.m3u8?low=1"])
    }

    // MARK: Live streams

    /// The number of times that a playlist was requested.
    private final class Count: Sendable {
        private let value = Mutex(0)
        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test("a live stream plays without a lost or repeated sample while its playlist grows, and ends with it (R-HLS-07)")
    func live() throws {
        let folder = try HLSFolder.flac(Self.signal), segments = folder.segments, loads = Count()
        let durations = folder["/list.m3u8"].split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#EXTINF:") }
        let server = try MediaServer { request in
            guard request.target == "/live.m3u8" else { return .bytes(folder.files[request.target] ?? [], ranges: true) }
            // Each playlist has one segment more than the one before.
            let count = min(segments.count, 2 + loads.next())
            let lines = (0..<count).map { "\(durations[$0])\n\(segments[$0])\n" }.joined()
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-MAP:URI=\"init.mp4\"\n"
            return .bytes(Array((head + lines + (count == segments.count ? "#EXT-X-ENDLIST\n" : "")).utf8), ranges: true)
        }
        defer { server.stop() }
        let reader = try HLSFolder.open(server, "/live.m3u8")
        #expect(reader.info.isLive && !reader.info.isSeekable && reader.duration == .unknown)
        #expect(try Reading.samples(reader) == Self.samples)
    }

    @Test("a live stream whose server no longer has the rest of a segment goes on with the next one (R-HLS-04)")
    func cutLiveSegment() throws {
        let folder = try HLSFolder.flac(Self.signal), segments = folder.segments, loads = Count()
        let list = folder["/list.m3u8"].replacingOccurrences(of: "#EXT-X-PLAYLIST-TYPE:VOD\n", with: "#EXT-X-START:TIME-OFFSET=0\n")
        let server = try MediaServer { request in
            if request.target == "/live.m3u8" {
                // The stream is live when it is opened, and has ended when its playlist is loaded again.
                let text = loads.next() == 1 ? list.replacingOccurrences(of: "#EXT-X-ENDLIST\n", with: "") : list
                return .bytes(Array(text.utf8), ranges: true)
            }
            // The connection ends within the segment, whose address then leads to something else.
            if request.target == segments[2] {
                return request.start == 0 ? .dropping(folder.files[segments[2]] ?? [], after: 3000) : .bytes([0], ranges: false)
            }
            return .bytes(folder.files[request.target] ?? [], ranges: true)
        }
        defer { server.stop() }
        var source = MediaSource(.remote(url: server.url("/live.m3u8")))
        source.monitor = ConnectionMonitor()
        let samples = try Reading.samples(FFmpegOpener().open(source, interrupt: Interrupt())), gap = Self.frames(folder, 2)
        let head = Self.samples.prefix(2 * gap.lowerBound), tail = Self.samples.dropFirst(2 * gap.upperBound)
        #expect(samples.count < Self.samples.count && samples.starts(with: head) && samples.suffix(tail.count).elementsEqual(tail))
    }

    // MARK: Hostile playlists

    @Test(
        "a playlist that names a file, another scheme or itself opens nothing else",
        arguments: [
            ("#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n", PlaybackError.Code.unsupportedScheme),
            ("#EXTINF:1,\nftp://127.0.0.1/a\n#EXT-X-ENDLIST\n", .unsupportedScheme),
            ("#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8\n", .unsupportedFormat),
            ("#EXT-X-MAP:URI=\"gopher://127.0.0.1/\"\n#EXTINF:1,\na\n#EXT-X-ENDLIST\n", .unsupportedScheme), ("#EXT-X-ENDLIST\n", .noAudio),
        ])
    func hostile(_ lines: String, _ code: PlaybackError.Code) throws {
        let server = try HLSFolder(files: ["/list.m3u8": Array(("#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + lines).utf8)]).server()
        defer { server.stop() }
        #expect(Reading.failure(server.url("/list.m3u8"))?.code == code)
        #expect(server.requests.allSatisfy { $0.target == "/list.m3u8" } && server.requests.count <= 2)
    }

    @Test("the password and the user's header fields go to the server of the playlist only (R-HLS-06)")
    func credentials() throws {
        let folder = try HLSFolder.flac(Self.signal), other = try folder.server()
        defer { other.stop() }
        var listed = folder
        let name = String(folder.segments[0].dropFirst())
        listed["/list.m3u8"] = folder["/list.m3u8"].replacingOccurrences(of: "\n\(name)", with: "\n" + other.url("/" + name))
        let server = try listed.server()
        defer { server.stop() }
        let source = MediaSource(
            .remote(url: "http://user:word@127.0.0.1:\(server.port)/list.m3u8"), httpHeaders: [MetadataEntry(key: "X-Own", value: "1")])
        #expect(try Reading.samples(FFmpegOpener().open(source, interrupt: Interrupt())) == Self.samples)
        #expect(server.requests.count > 2 && server.requests.allSatisfy { $0.fields["authorization"] != nil && $0.fields["x-own"] == "1" })
        #expect(other.requests.map(\.target) == ["/" + name])
        #expect(other.requests.allSatisfy { $0.fields["authorization"] == nil && $0.fields["x-own"] == nil })
    }
}
