import Testing

@testable import FFmpegMedia

/// The playlist that is played of the variants of a stream.
@Suite("HLS variants")
struct HLSChoiceTests {
    private func locations(_ lines: String, upTo limit: Double = 0) throws -> [String] {
        guard case .master(let master) = try HLSPlaylist(Array(("#EXTM3U\n" + lines).utf8)) else { throw HLSError.notPlaylist }
        return master.audioLocations(upTo: limit)
    }

    @Test("of variants with sound alone the one with the greatest bandwidth comes first, also without codecs")
    func sound() throws {
        #expect(
            try locations(
                "#EXT-X-STREAM-INF:BANDWIDTH=64000\na\n#EXT-X-STREAM-INF:BANDWIDTH=256000,CODECS=\"mp4a.40.2\"\nb\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=128000\nc\n") == ["b", "c", "a"])
    }

    @Test("variants beyond the limit come last, the one with the least bandwidth first (R-BUF-08)")
    func limited() throws {
        let lines = [64_000, 320_000, 128_000, 256_000].map { "#EXT-X-STREAM-INF:BANDWIDTH=\($0)\n\($0)\n" }.joined()
        #expect(try locations(lines, upTo: 128_000) == ["128000", "64000", "256000", "320000"])
        #expect(try locations(lines, upTo: 1) == ["64000", "128000", "256000", "320000"])
    }

    @Test("sound alone comes before pictures, of which the least bandwidth with full sound comes first")
    func pictures() throws {
        #expect(
            try locations(
                "#EXT-X-STREAM-INF:BANDWIDTH=9000,CODECS=\"avc1.1,mp4a.40.2\"\na\n#EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=1x1\nb\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS=\"avc1.1,mp4a.40.5\"\nc\n#EXT-X-STREAM-INF:BANDWIDTH=500,CODECS=\"mp4a.40.5\"\nd\n")
                == ["d", "b", "a", "c"])
    }

    @Test("a variant is played by its rendition, the default one first, and each playlist comes once")
    func renditions() throws {
        #expect(
            try locations(
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"1\",AUTOSELECT=YES,URI=\"r1\"\n"
                    + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"2\",DEFAULT=YES,AUTOSELECT=YES,URI=\"r2\"\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO=\"g\",CODECS=\"avc1.1,mp4a.40.2\"\na\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO=\"g\",CODECS=\"avc1.1,mp4a.40.2\"\nb\n") == ["r2"])
    }

    @Test("a rendition without an address is in its variant, and a variant with codecs of pictures only has no sound")
    func own() throws {
        #expect(
            try locations(
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"1\",DEFAULT=YES\n"
                    + "#EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO=\"g\",CODECS=\"avc1.1,mp4a.40.2\"\n"
                    + "a\n#EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS=\"avc1.1\"\nb\n") == ["a"])
    }
}
