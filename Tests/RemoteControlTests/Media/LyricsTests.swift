import Platform
import Testing

@testable import RemoteControl

@Suite struct LyricsTests {
    private func lyrics(_ text: String) -> Lyrics { Lyrics(Array(text.utf8)) }
    private func texts(_ lyrics: Lyrics) -> [String] { lyrics.lines.map { String($0.text) } }
    private func times(_ lyrics: Lyrics) -> [Double?] { lyrics.lines.map(\.time) }

    @Test("the lines of an LRC file have their times, in seconds")
    func times() {
        let made = lyrics("[00:12.50]One\n[01:02]Two\n[62:03.125] Three \n[01:02:03.5]Four")
        #expect(made.isSynchronized)
        #expect(texts(made) == ["One", "Two", "Three", "Four"])
        #expect(times(made) == [12.5, 62, 3723.125, 3723.5])
    }

    @Test("a line with several times is one line for each, in the order of the times")
    func repeated() {
        let made = lyrics("[00:01.00][00:05.00]Chorus\n[00:03.00]Verse")
        #expect(texts(made) == ["Chorus", "Verse", "Chorus"])
        #expect(times(made) == [1, 3, 5])
    }

    @Test("tags are not lines; a positive offset shows the lines earlier, but not before the start")
    func tags() {
        let made = lyrics("[ti:Song]\n[ar:Somebody]\n[la:EN]\n[offset:+500]\n[00:00.25]One\n[00:02.00]Two")
        #expect(times(made) == [0, 1.5])
        #expect(made.language == "en")
        #expect(times(lyrics("[offset:-500]\n[00:01.00]One")) == [1.5])
        #expect(times(lyrics("[offset:soon]\n[00:01.00]One")) == [1])
    }

    @Test("the times of words are removed, other text in brackets is not")
    func words() {
        let made = lyrics("[00:01.00]<00:01.00> One <00:01.50> two <3 [x]")
        #expect(texts(made) == ["One two <3 [x]"])
    }

    @Test("an empty line with a time is kept, and a line without time is omitted if others have one")
    func gaps() {
        let made = lyrics("Intro\n[00:01.00]One\n[00:02.00]\nplain\n[00:03:50]Three")
        #expect(texts(made) == ["One", "", "Three"])
        #expect(times(made) == [1, 2, 3.5])
    }

    @Test("a text without times keeps its lines, but not the tags and the empty lines at its ends")
    func plain() {
        let made = lyrics("\r\n[ti:Song]\r\nOne\r\n\r\n[Chorus]\rTwo\n\n")
        #expect(!made.isSynchronized)
        #expect(texts(made) == ["One", "", "[Chorus]", "Two"])
        #expect(times(made) == [nil, nil, nil, nil])
    }

    @Test(
        "text that only looks like a time is text",
        arguments: ["[1]x", "[00:60.00]x", "[:]x", "[00:01.]x", "[00:1x]x", "[0000000:01]x", "[00:01", "[-1:01]x", "[00:60:00.0]x", "[1:2:3:4]x"])
    func notTimes(_ line: String) {
        #expect(!lyrics(line).isSynchronized)
        #expect(texts(lyrics(line)) == [line])
    }

    @Test("UTF-8 with a mark, UTF-16 and windows-1252 are read")
    func encodings() {
        let line = Array("[00:01]".utf8)
        #expect(texts(Lyrics([0xEF, 0xBB, 0xBF] + line + Array("é☃".utf8))) == ["é☃"])
        #expect(texts(Lyrics(line + [0x67, 0xFC, 0x6E, 0x92])) == ["gün’"])
        for isBig in [false, true] {
            let units = Array("\u{FEFF}[00:01]é☃😀".utf16)
            let bytes = units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
            #expect(texts(Lyrics(bytes)) == ["é☃😀"])
            #expect(texts(Lyrics(Array(bytes.dropLast()))).count == 1)
        }
        #expect(Lyrics([0xFF, 0xFE]).lines.isEmpty && Lyrics([]).lines.isEmpty)
    }

    @Test("lyrics have a limited number of lines and bytes, and state that they are truncated")
    func limits() {
        let many = lyrics(String(repeating: "[00:01]x\n", count: Lyrics.maximumLines + 1))
        #expect(many.lines.count == Lyrics.maximumLines && many.isTruncated)
        #expect(!lyrics(String(repeating: "[00:01]x\n", count: Lyrics.maximumLines)).isTruncated)
        let plain = lyrics(String(repeating: "x\n", count: Lyrics.maximumLines + 1))
        #expect(plain.lines.count == Lyrics.maximumLines && plain.isTruncated)
        // Empty lines at the end are no loss, and plain lines are none if another line has a time.
        let whole = String(repeating: "x\n", count: Lyrics.maximumLines)
        #expect(lyrics(whole).lines.count == Lyrics.maximumLines && !lyrics(whole).isTruncated && !lyrics(whole + "\n\n").isTruncated)
        #expect(texts(lyrics(whole + "x\n[00:01]y")) == ["y"] && !lyrics(whole + "x\n[00:01]y").isTruncated)
        // If each of the 9,000 times had a copy of the line of 100 kB, the lyrics would have 900 MB.
        let repeated = lyrics(String(repeating: "[00:01]", count: 9000) + String(repeating: "x", count: 100_000))
        #expect(repeated.lines.reduce(0) { $0 + $1.text.utf8.count } <= Lyrics.maximumSize && repeated.isTruncated)
        let long = lyrics(String(repeating: "é", count: Lyrics.maximumSize))
        #expect(long.isTruncated && long.lines.count == 1 && long.lines[0].text.utf8.count <= Lyrics.maximumSize)
        #expect(long.lines[0].text.utf8.starts(with: "éé".utf8))
    }

    // If the work grew with the square of the size, the parser would need hours for each of these texts.
    @Test(
        "hostile text of half a mebibyte is read, whatever it repeats",
        arguments: ["[", "<", "[00:01]", "<00:01>", "[00:01]<", "\u{301}", "[offset:1]\n", "\n", "\r", ":", "[00:01]\u{301}\n", "[a", "]", "[la:en]"])
    func growth(_ part: String) {
        let bytes = Array("[00:01]".utf8) + (0..<((1 << 19) / part.utf8.count)).flatMap { _ in Array(part.utf8) }
        let made = Lyrics(bytes)
        #expect(made.isSynchronized && made.lines.count <= Lyrics.maximumLines)
        #expect(made.lines.reduce(0) { $0 + $1.text.utf8.count } <= Lyrics.maximumSize)
    }
}
