import Glibc
import Platform
import PlaybackEngine
import Playlist
import Testing

@testable import RemoteControl

@MainActor @Suite("Names of files that are not UTF-8")
struct NameBytesTests {
    /// Names in Latin-1 and Shift-JIS, and random bytes.
    nonisolated private static let names: [[UInt8]] = [
        Array("caf".utf8) + [0xE9], [0x89, 0xB9, 0x8A, 0x79], [0xFF, 0x80, 0xC3, 0x28, 0xF5, 0x01], Array("\u{FFFD}".utf8) + [0xE9],
    ]

    private let home: TemporaryDirectory
    private let rig: TestRig

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private func list(_ path: String) async -> Reply {
        await rig.send("GET", "/api/v1/library?path=" + PercentEncoding.encoded(path.utf8, keeping: PercentEncoding.isUnreserved))
    }

    private func song(_ name: [UInt8]) -> [UInt8] { name + Array(".flac".utf8) }

    @Test("they are listed with U+FFFD, entered and loaded", arguments: names)
    func use(_ name: [UInt8]) async throws {
        try home.directory(name, in: "music")
        try home.file(song(name), in: "music")
        let listing = await list(home.path + "/music").json
        #expect(listing?["entries"]?.elements.map { $0["name"]?.text } == [name, song(name)].map { String(decoding: $0, as: UTF8.self) })
        let folder = listing?["entries"]?[0]?["path"]?.text ?? ""
        #expect(folder == "file://" + PercentEncoding.encodedPath(home.path + "/music/") + PercentEncoding.encodedPath(name))

        let inside = await list(folder)
        #expect(inside.status == 200 && inside.json?["path"]?.text == folder && inside.json?["parent"]?.text == home.path + "/music")

        let url = listing?["entries"]?[1]?["path"]?.text ?? ""
        let body = String(decoding: JSONWriter.object { $0.member("url", url) }, as: UTF8.self)
        #expect(await rig.send("PUT", "/api/v1/player/item", json: body).status == 201)
        guard case .setItem(let entry, _, _)? = rig.player.performed.first?.command else {
            Issue.record("nothing was loaded")
            return
        }
        #expect(entry.source.location == .file(FilePath(home.path + "/music") + song(name)))
        #expect(entry.url == url && entry.failure == nil)
    }

    @Test("the media of such a folder go to the queue with their bytes")
    func folder() async throws {
        let name = Self.names[0]
        try home.directory(name, in: "music")
        let inner = FilePath(home.path + "/music") + name
        let file = inner + song(name)
        try home.file(name + [UInt8(ascii: "/")] + song(name), in: "music")
        let folder = "file://" + PercentEncoding.encodedPath(inner.bytes)
        #expect(await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[{\"url\":\"\(folder)\"}]}").status == 200)
        guard case .setQueue(let entries, _, _)? = rig.player.performed.last?.command else {
            Issue.record("nothing was added")
            return
        }
        #expect(entries.map(\.source.location) == [.file(file)] && entries.map(\.url) == [file.url])
    }

    @Test("a link to such a name is listed, and its target is opened")
    func link() async throws {
        try home.file(song(Self.names[0]), in: "music")
        let target = FilePath(home.path + "/music") + song(Self.names[0])
        let linked = target.withCString { symlink($0, home.path + "/music/a.flac") }
        #expect(linked == 0)
        let names = await list(home.path + "/music").json?["entries"]?.elements.map { $0["name"]?.text }
        #expect(names == ["a.flac", "caf\u{FFFD}.flac"])
        let confinement = try PathConfinement(roots: [home.path + "/music"])
        #expect(try confinement.resolve(AbsolutePath(home.path + "/music/a.flac")).file == target)
    }

    @Test("an old list in ISO 8859-1 names the files beside it")
    func oldList() throws {
        try home.file(song(Self.names[0]), in: "music")
        let confinement = try PathConfinement(roots: [home.path + "/music"])
        let folder = try AbsolutePath(home.path + "/music")
        let file = PlaylistFile(song(Self.names[0]) + [0x0A], format: .m3u)
        let line = try #require(file.lines.first)
        #expect(line.location == "café.flac")
        #expect(try line.path(below: folder, in: confinement)?.nameBytes.elementsEqual(song(Self.names[0])) == true)
        let encoded = PlaylistFile.Line(location: "caf%E9.flac", isReference: true)
        #expect(try encoded.path(below: folder)?.nameBytes.elementsEqual(song(Self.names[0])) == true)
        try home.file("music/café.flac")
        #expect(try line.path(below: folder, in: confinement)?.name == "café.flac")
    }
}
