import Platform
import PlaybackEngine
import Testing

@testable import RemoteControl

@Suite struct MediaSummaryTests {
    private func info(_ tags: [(String, String)], artwork: Artwork? = nil) -> MediaInfo {
        MediaInfo(
            containerName: "fake", codecName: "fake", format: AudioFormat(sampleRate: 1000, channelLayout: ChannelLayout(count: 1)),
            duration: .exact(frames: 1500, sampleRate: 1000), metadata: tags.map { MetadataEntry(key: $0.0, value: $0.1) }, artwork: artwork)
    }

    @Test("a summary has the title, the artist, the album, the duration and the picture")
    func content() {
        let summary = MediaSummary(info([("title", "T"), ("artist", "A"), ("album", "B")], artwork: Artwork(mimeType: "", data: [1])))
        #expect(summary.title == "T" && summary.artist == "A" && summary.album == "B" && summary.duration == 1.5)
        #expect(summary.pictureID?.utf8.count == 16)
        #expect(MediaSummary(info([])).pictureID == nil)
    }

    @Test("several values of a tag are one text (R-ASSET-21)")
    func severalValues() {
        let summary = MediaSummary(info([("title", "T"), ("title", "U"), ("artist", "A"), ("artist", "B"), ("album", "C"), ("album", "D")]))
        #expect(summary.title == "T, U" && summary.artist == "A, B" && summary.album == "C, D")
    }

    @Test("pictures of the same bytes have the same identifier, others have another")
    func pictures() {
        // The id of a picture is the FNV-1a hash of its bytes. The hash of "a" is a published test value.
        #expect(MediaSummary.pictureID([0x61]) == "af63dc4c8601ec8c")
        #expect(MediaSummary.pictureID([1, 2]) != MediaSummary.pictureID([2, 1]))
    }

    @Test("a long text is cut after a whole character", arguments: ["x", "é", "☃", "😀"])
    func long(_ character: String) {
        let title = MediaSummary(info([("title", String(repeating: character, count: 1000))])).title ?? ""
        #expect(title.utf8.count <= MediaSummary.maximumTextSize && title.utf8.count > MediaSummary.maximumTextSize - 4)
        #expect(title.unicodeScalars.allSatisfy { String($0) == character })
    }

    @Test("a whole listing stays cached")
    func cache() { #expect(MediaSummaryReader.cachedCount / 8 * 7 >= MediaLibrary.maximumEntries) }

    @Test("a changed file has another identity, and a directory has none")
    func identity() throws {
        let home = try TemporaryDirectory()
        let path = FilePath(try home.file("a", "1"))
        let first = try FileIdentity(OpenFile(path).status)
        #expect(try first != nil && first == FileIdentity(OpenFile(path).status) && first?.size == 1)
        try home.file("a", "22")
        #expect(try FileIdentity(OpenFile(path).status) != first)
        #expect(try FileIdentity(OpenFile(FilePath(home.path)).status) == nil)
    }
}
