import Platform
import Testing

@testable import FFmpegMedia

/// Playlists of HTTP Live Streaming, as servers write them.
@Suite("HLS playlists")
struct HLSPlaylistTests {
    private func media(_ lines: String, query: String = "", importing: HLSVariables = HLSVariables()) throws -> HLSMedia {
        guard case .media(let media) = try HLSPlaylist(Array(("#EXTM3U\n" + lines).utf8), query: query, importing: importing) else {
            throw HLSError.notPlaylist
        }
        return media
    }

    private func master(_ lines: String) throws -> HLSMaster {
        guard case .master(let master) = try HLSPlaylist(Array(("#EXTM3U\n" + lines).utf8)) else { throw HLSError.notPlaylist }
        return master
    }

    private func failure(_ lines: String, query: String = "") -> HLSError? {
        do throws(HLSError) {
            _ = try HLSPlaylist(Array(("#EXTM3U\n" + lines).utf8), query: query)
            return nil
        } catch { return error }
    }

    // MARK: Segments

    @Test("a playlist has segments with their durations and numbers, a target duration and an end")
    func segments() throws {
        let media = try media(
            "#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:6.006,One\na.ts\n#EXTINF:4,\nb/c.ts?x=1&y=2\n"
                + "#EXT-X-ENDLIST\n"
        )
        #expect(media.segments.map(\.location) == ["a.ts", "b/c.ts?x=1&y=2"])
        #expect(media.segments.map(\.duration) == [6.006, 4] && media.segments.map(\.number) == [7, 8])
        #expect(media.targetDuration == 6 && media.sequence == 7 && media.hasEnded)
    }

    @Test("a playlist with a byte order mark, CR LF, blank lines, comments, an empty title or none, and EXT-X-ALLOW-CACHE is read")
    func forgiven() throws {
        let text = "\u{FEFF}#EXTM3U\r\n#EXT-X-ALLOW-CACHE:YES\r\n\r\n# a comment\r\n#EXTINF:6,\r\n a.ts \r\n#EXTINF:5\r\nb.ts\r\n#EXT-X-UNKNOWN:1\r\n"
        guard case .media(let media) = try HLSPlaylist(Array(text.utf8)) else { throw HLSError.notPlaylist }
        #expect(media.segments.map(\.location) == ["a.ts", "b.ts"] && media.segments.map(\.duration) == [6, 5])
        #expect(media.sequence == 0 && !media.hasEnded)
    }

    @Test("a playlist without a target duration has the one of its longest segment, at least a second")
    func target() throws {
        #expect(try media("#EXTINF:6.4,\na\n#EXTINF:7.2,\nb\n").targetDuration == 8)
        #expect(try media("#EXT-X-TARGETDURATION:0\n#EXTINF:0.2,\na\n").targetDuration == 1)
    }

    @Test("a playlist of the type VOD has an end without its tag, one of the type EVENT does not")
    func types() throws {
        #expect(try media("#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:6,\na\n").hasEnded)
        #expect(try !media("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:6,\na\n").hasEnded)
    }

    @Test("a live playlist without segments is read")
    func empty() throws {
        let media = try media("#EXT-X-TARGETDURATION:6\n")
        #expect(media.segments.isEmpty && !media.hasEnded && media.targetDuration == 6)
    }

    @Test("a gap, a discontinuity and a date belong to the next segment only")
    func marks() throws {
        let media = try media(
            "#EXTINF:6,\na\n#EXT-X-DISCONTINUITY\n#EXT-X-GAP\n#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00.5+01:00\n#EXTINF:6,\nb\n#EXTINF:6,\nc\n")
        #expect(media.segments.map(\.isDiscontinuous) == [false, true, false] && media.segments.map(\.isGap) == [false, true, false])
        #expect(media.segments.map(\.date) == [nil, 1_577_833_200.5, nil])
    }

    @Test("a date with an offset without a colon counts, a malformed date does not", arguments: [("+0100", 1_577_833_200.0 as Double?), ("x", nil)])
    func date(_ zone: String, _ date: Double?) throws {
        #expect(try media("#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00\(zone)\n#EXTINF:6,\na\n").segments.first?.date == date)
    }

    @Test("a byte range without a start follows the range before it in the same resource")
    func ranges() throws {
        let media = try media(
            "#EXTINF:6,\n#EXT-X-BYTERANGE:100@0\na\n#EXTINF:6,\n#EXT-X-BYTERANGE:50\na\n#EXTINF:6,\nb\n#EXTINF:6,\n#EXT-X-BYTERANGE:10@5\nb\n")
        #expect(media.segments.map(\.range) == [0..<100, 100..<150, nil, 5..<15])
    }

    @Test(
        "a byte range that has no start and follows none of the same resource is refused",
        arguments: ["#EXT-X-BYTERANGE:50\na\n", "#EXT-X-BYTERANGE:1@0\nb\n#EXTINF:6,\n#EXT-X-BYTERANGE:50\na\n", "#EXT-X-BYTERANGE:0@1\na\n"])
    func unboundRange(_ lines: String) {
        guard case .malformed = failure("#EXTINF:6,\n" + lines) else {
            Issue.record("\(lines)")
            return
        }
    }

    @Test("a byte range of 2^63 bytes is refused", arguments: ["9223372036854775807@1", "9223372036854775808@0", "1@9223372036854775807"])
    func hugeRange(_ range: String) {
        #expect(failure("#EXTINF:6,\n#EXT-X-BYTERANGE:\(range)\na\n") == .malformed(line: 3))
        #expect(failure("#EXT-X-MAP:URI=\"m\",BYTERANGE=\"\(range)\"\n") == .malformed(line: 2))
    }

    @Test("a map belongs to the segments after it, with the range and the key of its place")
    func maps() throws {
        let media = try media(
            "#EXTINF:6,\na\n#EXT-X-MAP:URI=\"m, 1.mp4\",BYTERANGE=\"20@10\"\n#EXTINF:6,\nb\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1\n"
                + "#EXT-X-MAP:URI=\"m2\"\n#EXTINF:6,\nc\n")
        #expect(media.segments.map { $0.map?.location } == [nil, "m, 1.mp4", "m2"])
        #expect(media.segments[1].map?.range == 10..<30 && media.segments[1].map?.key == nil)
        #expect(media.segments[2].map?.key?.vector == [UInt8](repeating: 0, count: 15) + [1])
    }

    @Test("a map that repeats the one before it is the same")
    func repeatedMap() throws {
        let media = try media("#EXT-X-MAP:URI=\"m\"\n#EXTINF:6,\na\n#EXT-X-MAP:URI=\"m\"\n#EXTINF:6,\nb\n")
        #expect(media.segments[0].map === media.segments[1].map && media.segments[0].map != nil)
    }

    @Test("a segment without a duration is refused, and a number that is none too")
    func malformed() {
        #expect(failure("a.ts\n") == .malformed(line: 2))
        #expect(failure("#EXTINF:-1,\na.ts\n") == .malformed(line: 2))
        #expect(failure("#EXTINF:nan,\na.ts\n") == .malformed(line: 2))
        #expect(failure("#EXTINF:1e5,\na.ts\n") == .malformed(line: 2))
        #expect(failure("#EXT-X-MEDIA-SEQUENCE:99999999999999999999\n") == .malformed(line: 2))
    }

    // MARK: Keys

    @Test("a key belongs to the segments up to the next one, and NONE ends it")
    func keys() throws {
        let media = try media(
            "#EXTINF:6,\na\n#EXT-X-KEY:METHOD=AES-128,URI=\"k1\"\n#EXTINF:6,\nb\n#EXTINF:6,\nc\n#EXT-X-KEY:METHOD=AES-128,URI=\"k2\","
                + "IV=0X000102030405060708090A0B0C0D0E0F\n#EXTINF:6,\nd\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:6,\ne\n")
        #expect(media.segments.map { $0.key?.location } == [nil, "k1", "k1", "k2", nil])
        #expect(media.segments[1].key?.vector == nil && media.segments[3].key?.vector == Array(0...15))
        #expect(media.segments[1].key === media.segments[2].key)
    }

    @Test("of several keys the one without a licence counts, and a key of a licence system alone is not supported")
    func licences() throws {
        let identity = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"identity\"\n"
        let licence = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        #expect(try media(licence + identity + "#EXTINF:6,\na\n").segments[0].key?.method == .aes128)
        #expect(try media(licence + "#EXTINF:6,\na\n").segments[0].key?.method == .unsupported)
        #expect(try media("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:6,\na\n").segments[0].key?.method == .unsupported)
    }

    @Test(
        "a key without an address, a vector that is no number of 128 bits, and an encrypted map without a vector are refused",
        arguments: [
            "#EXT-X-KEY:METHOD=AES-128\n", "#EXT-X-KEY:URI=\"k\"\n", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xG\n",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x\n", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x123456789012345678901234567890123\n",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\n",
        ])
    func malformedKey(_ line: String) { #expect(failure(line) == .malformed(line: 2)) }

    @Test("an encrypted map without a vector is refused")
    func mapWithoutVector() { #expect(failure("#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXT-X-MAP:URI=\"m\"\n") == .malformed(line: 3)) }

    // MARK: Live streams

    @Test("the start may be counted from the end, and be precise")
    func start() throws {
        let media = try media("#EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES\n#EXTINF:6,\na\n")
        #expect(media.start == -12.5 && media.isStartPrecise)
        let other = try self.media("#EXT-X-START:TIME-OFFSET=3\n#EXTINF:6,\na\n")
        #expect(other.start == 3 && !other.isStartPrecise)
    }

    @Test("the server states the distance from the end")
    func holdBack() throws {
        #expect(try media("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=18.5\n#EXTINF:6,\na\n").holdBack == 18.5)
    }

    @Test("parts of segments and hints of low latency are no segments")
    func parts() throws {
        let media = try media(
            "#EXT-X-PART-INF:PART-TARGET=0.5\n#EXTINF:6,\na\n#EXT-X-PART:DURATION=0.5,URI=\"p1\",INDEPENDENT=YES\n"
                + "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p2\"\n#EXT-X-RENDITION-REPORT:URI=\"r\"\n")
        #expect(media.segments.map(\.location) == ["a"])
    }

    // MARK: Variables

    @Test("variables are replaced in addresses and quoted texts, and values are not searched for variables")
    func variables() throws {
        let media = try media(
            "#EXT-X-DEFINE:NAME=\"q\",VALUE=\"1\"\n#EXT-X-DEFINE:NAME=\"p\",VALUE=\"p{$q}\"\n#EXT-X-DEFINE:QUERYPARAM=\"token\"\n"
                + "#EXT-X-KEY:METHOD=AES-128,URI=\"k?t={$token}\"\n#EXTINF:6,\n{$p}/{a}/{$token}.ts\n",
            query: "x=1&token=a%20{$q}")
        #expect(media.segments[0].location == "p1/{a}/a {$q}.ts" && media.segments[0].key?.location == "k?t=a {$q}")
    }

    @Test("a variable comes from the master playlist")
    func imported() throws {
        let variables = try master("#EXT-X-DEFINE:NAME=\"host\",VALUE=\"h\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n").variables
        #expect(try media("#EXT-X-DEFINE:IMPORT=\"host\"\n#EXTINF:6,\n//{$host}/a\n", importing: variables).segments[0].location == "//h/a")
    }

    @Test(
        "a variable that is not defined, or defined twice, is refused",
        arguments: [
            ("#EXTINF:6,\n{$x}\n", HLSError.undefinedVariable(line: 3)), ("#EXT-X-DEFINE:IMPORT=\"x\"\n", .undefinedVariable(line: 2)),
            ("#EXT-X-DEFINE:QUERYPARAM=\"x\"\n", .undefinedVariable(line: 2)), ("#EXT-X-DEFINE:NAME=\"x\"\n", .malformed(line: 2)),
            ("#EXT-X-DEFINE:NAME=\"x\",VALUE=\"1\"\n#EXT-X-DEFINE:NAME=\"x\",VALUE=\"2\"\n", .malformed(line: 3)),
        ])
    func undefined(_ lines: String, _ error: HLSError) { #expect(failure(lines) == error) }

    @Test("a line that variables make too long is refused")
    func expansion() {
        let value = String(repeating: "a", count: 4000)
        let lines = "#EXT-X-DEFINE:NAME=\"x\",VALUE=\"\(value)\"\n#EXTINF:6,\n" + String(repeating: "{$x}", count: 1000) + "\n"
        #expect(failure(lines) == .lineTooLong(line: 4))
    }

    @Test("a playlist whose texts variables make larger than 4 MiB is refused", arguments: ["{$x}\n", "#EXT-X-KEY:METHOD=AES-128,URI=\"{$x}\"\n"])
    func expansions(_ line: String) {
        let value = String(repeating: "a", count: 8000), count = HLSPlaylist.maximumSize / 8000
        func list(_ count: Int) -> String {
            "#EXT-X-DEFINE:NAME=\"x\",VALUE=\"\(value)\"\n" + String(repeating: "#EXTINF:6,\n" + line, count: count) + "#EXTINF:6,\na\n"
        }
        #expect(failure(list(count)) == nil)
        #expect(failure(list(count + 1)) == .tooLarge)
    }

    // MARK: Master playlists

    @Test("a master playlist has variants with bandwidth, codecs and group, and renditions of sound")
    func variants() throws {
        let master = try master(
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"English\",LANGUAGE=\"en\",DEFAULT=YES,AUTOSELECT=YES,URI=\"en.m3u8\"\n"
                + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"Deutsch\",LANGUAGE=\"de\",AUTOSELECT=YES\n"
                + "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"x\",URI=\"s.m3u8\"\n"
                + "#EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS=\"avc1.4d401e, mp4a.40.2\",RESOLUTION=640x360,AUDIO=\"g\"\nlow/index.m3u8\n"
                + "#EXT-X-STREAM-INF:BANDWIDTH=64000\naudio.m3u8\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI=\"i.m3u8\"\n")
        #expect(master.variants.map(\.location) == ["low/index.m3u8", "audio.m3u8"] && master.variants.map(\.bandwidth) == [1_280_000, 64_000])
        #expect(master.variants[0].codecs == ["avc1.4d401e", "mp4a.40.2"] && master.variants[1].codecs == nil)
        #expect(master.variants.map(\.hasVideo) == [true, false] && master.variants.map(\.audioGroup) == ["g", nil])
        #expect(master.renditions.map(\.group) == ["g", "g"] && master.renditions.map(\.location) == ["en.m3u8", nil])
        #expect(master.renditions.map(\.isDefault) == [true, false] && master.renditions.map(\.isChosenBySystem) == [true, true])
    }

    @Test("a playlist with variants and segments is none")
    func mixed() { #expect(failure("#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXTINF:6,\nb\n") == .notPlaylist) }

    // MARK: Limits

    @Test("a text that does not begin like a playlist is none", arguments: ["", "#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na\n", "<html>"])
    func foreign(_ text: String) {
        #expect(throws: HLSError.notPlaylist) { guard case .media = try HLSPlaylist(Array(text.utf8)) else { return } }
    }

    @Test("a playlist of more than 4 MiB, a line of more than 8 KiB, and more than 20,000 segments or 1,000 variants are refused")
    func limits() throws {
        #expect(failure(String(repeating: "#\n", count: 2 << 20)) == .tooLarge)
        #expect(failure("#EXTINF:6,\n" + String(repeating: "a", count: HLSPlaylist.maximumLine + 1) + "\n") == .lineTooLong(line: 3))
        #expect(try media(String(repeating: "#EXTINF:1,\na\n", count: HLSPlaylist.maximumSegments)).segments.count == HLSPlaylist.maximumSegments)
        #expect(failure(String(repeating: "#EXTINF:1,\na\n", count: HLSPlaylist.maximumSegments + 1)) == .tooManyEntries)
        #expect(failure(String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n", count: HLSPlaylist.maximumEntries + 1)) == .tooManyEntries)
    }

    @Test("any bytes are read or refused", arguments: 0..<200)
    func anyBytes(_ seed: Int) {
        let tags = [
            "#EXTM3U", "#EXTINF:", "#EXT-X-KEY:METHOD=", "AES-128,URI=\"", "\"", "{$", "}", "#EXT-X-MAP:URI=", "#EXT-X-BYTERANGE:", "@", "\n", ",",
            "1",
            "#EXT-X-START:TIME-OFFSET=", "#EXT-X-DEFINE:NAME=\"", "VALUE=\"", "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-STREAM-INF:", "=", "-", "\u{0}",
        ]
        var random = SplitMix64(state: UInt64(seed)), text = "#EXTM3U\n"
        for _ in 0..<200 { text += tags[Int(random.next() % UInt64(tags.count))] }
        if case .media(let media) = try? HLSPlaylist(Array(text.utf8)) { #expect(media.segments.allSatisfy { $0.duration >= 0 }) }
    }
}
