import Platform
import PlaybackEngine
import Player
import Testing

@testable import RemoteControl

/// The check of the locations in a playlist that an opener has found.
@Suite struct ListOpenerTests {
    private let home: TemporaryDirectory
    private let confinement: PathConfinement

    init() throws {
        home = try TemporaryDirectory()
        for name in ["music", "music/album"] { try home.directory(name) }
        for name in ["music/a.mp3", "music/album/b c.mp3", "outside.mp3"] { try home.file(name) }
        confinement = try PathConfinement(roots: [home.path + "/music"])
    }

    /// An opener of playlists with these locations.
    private struct Lists: MediaOpener {
        var format: PlaylistFile.Format? = .m3u
        let base: MediaList.Base
        let lines: [PlaylistFile.Line]
        func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
            var error = PlaybackError(.unsupportedFormat, "The address is a playlist.")
            error.list = MediaList(format: format, base: base, lines: lines)
            throw error
        }
    }

    private func media(
        _ locations: [String], of base: MediaList.Base, allowsPrivate: Bool = true, isReference: Bool = false
    ) throws -> [MediaList.Medium] {
        let lines = locations.enumerated().map { PlaylistFile.Line(location: $1, number: $0 + 1, isReference: isReference) }
        let opener = ListOpener(opener: Lists(base: base, lines: lines), confinement: confinement)
        do {
            _ = try opener.open(MediaSource(.remote(url: "http://h/"), allowsPrivateAddresses: allowsPrivate), interrupt: Interrupt())
        } catch { return try #require(error.list?.media) }
        return []
    }

    private var file: MediaList.Base { .file(FilePath(home.path + "/music/list.m3u")) }
    private func remote(isPublic: Bool) -> MediaList.Base { .remote(url: "http://u:p@h.example/x/list.m3u", isPublic: isPublic) }

    @Test("a file names media relative to its folder, inside the media roots only")
    func files() throws {
        let found = try media(
            ["a.mp3", "album/b c.mp3", "file://\(home.path)/music/a.mp3", "none.mp3", "../outside.mp3", "/etc/passwd", "http://a.example/b"], of: file
        )
        #expect(found.map { $0.failure?.code } == [nil, nil, nil, .fileNotFound, .permissionDenied, .permissionDenied, nil])
        #expect(found[1].source.location == .file(path: home.path + "/music/album/b c.mp3") && !found[1].source.followsLinks)
        #expect(found[5].source.location == .remote(url: "unusable:/etc/passwd"))
        #expect(found.map(\.position) == (1...7).map { "Line \($0)" })
        #expect(try media(["album/b%20c.mp3"], of: file, isReference: true).first?.failure == nil)
    }

    @Test("a path that does not exist may have backslashes or be percent-encoded, and cannot lead out of the media roots either")
    func otherSpellings() throws {
        let found = try media(["album\\b c.mp3", ".\\album\\b%20c.mp3", "album/b%20c.mp3", "..\\outside.mp3", "%2e%2e/outside.mp3"], of: file)
        #expect(found.map { $0.failure?.code } == [nil, nil, nil, .fileNotFound, .fileNotFound])
        #expect(found[..<3].allSatisfy { $0.source.location == .file(path: home.path + "/music/album/b c.mp3") })
        try home.file("music/100%41.mp3")
        #expect(try media(["100%41.mp3"], of: file).first?.source.location == .file(path: home.path + "/music/100%41.mp3"))
    }

    @Test("a link out of the media roots is not followed")
    func links() throws {
        try home.link("music/door.mp3", to: home.path + "/outside.mp3")
        #expect(try media(["door.mp3"], of: file).first?.failure?.code == .permissionDenied)
    }

    @Test("a playlist of a server names URLs relative to its own, and clients do not see its user and password")
    func references() throws {
        let found = try media(["b.mp3", "/c d.mp3", "https://o.example/"], of: remote(isPublic: false))
        #expect(found.map(\.url) == ["http://h.example/x/b.mp3", "http://h.example/c%20d.mp3", "https://o.example/"])
        #expect(found[0].source.location == .remote(url: "http://u:p@h.example/x/b.mp3"))
    }

    @Test(
        "a playlist of a server names no file, not even one inside the media roots, and no other protocol",
        arguments: ["file:///music/a.mp3", "FILE:a.mp3", "concat:a", "data:audio/mp3,x", "smb://h/a", "mms://h/a", "C:\\a.mp3"])
    func protocols(_ location: String) throws {
        let medium = try #require(try media([location], of: remote(isPublic: false)).first)
        #expect(medium.failure?.code == .unsupportedScheme)
        #expect(medium.source.location == .remote(url: "unusable:" + PlaylistFile.Line(location: location).shownURL))
    }

    @Test("an absolute path in a playlist of a server is a path of the server")
    func path() throws {
        #expect(try media(["\(home.path)/music/a.mp3"], of: remote(isPublic: false)).map(\.url) == ["http://h.example\(home.path)/music/a.mp3"])
    }

    @Test("a playlist from a public address leads to no private address, whoever has requested it")
    func addresses() throws {
        #expect(try media(["http://10.0.0.1/"], of: remote(isPublic: true)).map(\.source.allowsPrivateAddresses) == [false])
        #expect(try media(["http://10.0.0.1/"], of: remote(isPublic: false)).map(\.source.allowsPrivateAddresses) == [true])
        #expect(try media(["http://10.0.0.1/"], of: remote(isPublic: false), allowsPrivate: false).map(\.source.allowsPrivateAddresses) == [false])
        #expect(try media(["http://10.0.0.1/"], of: file, allowsPrivate: false).map(\.source.allowsPrivateAddresses) == [false])
    }

    /// Returns the medium of a feed with one entry.
    private func medium(_ location: String, _ bases: [String], of base: MediaList.Base, allowsPrivate: Bool = true) throws -> MediaList.Medium {
        var line = PlaylistFile.Line(location: location, isReference: true)
        line.bases = bases
        let opener = ListOpener(opener: Lists(format: nil, base: base, lines: [line]), confinement: confinement)
        let error = #expect(throws: PlaybackError.self) {
            try opener.open(MediaSource(.remote(url: "http://h/"), allowsPrivateAddresses: allowsPrivate), interrupt: Interrupt())
        }
        return try #require(error?.list?.media?.first)
    }

    @Test("an entry of a feed is relative to the base addresses around it, each relative to the preceding one, and then to the feed's")
    func bases() throws {
        let feed = remote(isPublic: false)
        #expect(try medium("a.mp3", [], of: feed).position == "Entry 1")
        #expect(try medium("a.mp3", ["http://o.example/x/", "y/"], of: feed).url == "http://o.example/x/y/a.mp3")
        #expect(try medium("a.mp3", ["y/", "../z"], of: feed).url == "http://h.example/x/a.mp3")
        #expect(try medium("https://o.example/b", ["y/"], of: feed).url == "https://o.example/b")
        #expect(try medium("a.mp3", ["file:///music/"], of: feed).failure?.code == .unsupportedScheme)
        #expect(try medium("file:///music/a.mp3", ["http://o.example/"], of: feed).failure?.code == .unsupportedScheme)
    }

    @Test("a medium has the duration and the date of publication of its line")
    func facts() throws {
        var line = PlaylistFile.Line(location: "http://o.example/", duration: 5)
        line.publicationDate = 7
        let opener = ListOpener(opener: Lists(base: file, lines: [line]), confinement: confinement)
        let error = #expect(throws: PlaybackError.self) { try opener.open(MediaSource(.remote(url: "http://h/")), interrupt: Interrupt()) }
        let medium = try #require(error?.list?.media?.first)
        #expect(medium.duration == 5 && medium.publicationDate == 7)
    }

    /// Returns the URL of the picture of a feed's entry.
    private func picture(_ location: String, _ bases: [String] = [], of base: MediaList.Base) throws -> String? {
        var line = PlaylistFile.Line(location: "http://o.example/a.mp3", isReference: true)
        line.picture = PlaylistFile.Reference(location: location, bases: bases)
        let opener = ListOpener(opener: Lists(format: nil, base: base, lines: [line]), confinement: confinement)
        let error = #expect(throws: PlaybackError.self) { try opener.open(MediaSource(.remote(url: "http://h/")), interrupt: Interrupt()) }
        return try #require(error?.list?.media?.first).picture
    }

    @Test("the picture of an entry is relative to the base addresses around it and to the feed, and is at an http or https URL")
    func pictures() throws {
        let feed = remote(isPublic: true)
        #expect(try picture("https://o.example/a b.jpg", of: feed) == "https://o.example/a%20b.jpg")
        #expect(try picture("a.jpg", of: feed) == "http://u:p@h.example/x/a.jpg")
        #expect(try picture("a.jpg", ["http://o.example/x/", "y/"], of: feed) == "http://o.example/x/y/a.jpg")
        #expect(try picture("http://o.example/a.jpg", of: file) == "http://o.example/a.jpg")
        for location in ["file:///music/a.jpg", "data:image/png,x", "http://", "ftp://h/a.jpg", "http://h/\n"] {
            #expect(try picture(location, of: feed) == nil)
            #expect(try picture(location, of: file) == nil)
        }
        #expect(try picture("a.jpg", of: file) == nil)
        #expect(try picture("/etc/a.jpg", of: file) == nil)
    }

    @Test("a picture with a long URL is ignored, and its entry is not")
    func longPictures() throws {
        let start = "http://o.example/"
        let longest = start + String(repeating: "a", count: ListOpener.maximumPictureLength - start.utf8.count)
        #expect(try picture(longest, of: file) == longest)
        #expect(try picture(longest + "a", of: file) == nil)
        // A space becomes three bytes.
        #expect(try picture(String(longest.dropLast()) + " ", of: file) == nil)
    }

    @Test("an entry of a feed in a file is relative to its folder, and with base addresses never a file")
    func basesOfFile() throws {
        #expect(try medium("a.mp3", [], of: file).source.location == .file(path: home.path + "/music/a.mp3"))
        #expect(try medium("a.mp3", ["http://o.example/x/", "y/"], of: file).url == "http://o.example/x/y/a.mp3")
        for bases in [["album/"], ["/music/"], ["file:///music/"]] {
            #expect(try medium("a.mp3", bases, of: file).failure?.code == .unsupportedScheme)
        }
        #expect(try medium("a.mp3", ["http://10.0.0.1/"], of: file, allowsPrivate: false).source.allowsPrivateAddresses == false)
    }

    @Test("malformed URLs, control characters and texts that are too long are refused one by one")
    func malformed() throws {
        let long = "http://h/" + String(repeating: "a", count: MediaLocator.maximumURLLength)
        let found = try media(["http://a b/", "http://h/\u{1}", long, "http://u@v@h/", "ok.mp3"], of: remote(isPublic: false))
        #expect(found.map { $0.failure == nil } == [false, false, false, false, true])
        #expect(found.allSatisfy { $0.url.utf8.count <= MediaLocator.maximumURLLength })
    }
}
