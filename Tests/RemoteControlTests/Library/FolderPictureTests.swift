import Platform
import Testing

@testable import RemoteControl

@Suite struct FolderPictureTests {
    private let home: TemporaryDirectory
    private let pictures: FolderPicture

    init() throws {
        home = try TemporaryDirectory()
        try home.directory("music")
        try home.directory("music/album")
        try home.file("music/album/a.flac")
        pictures = FolderPicture(media: try PathConfinement(roots: [home.path + "/music"]))
    }

    @Test("the picture of a folder whose name is not UTF-8 is found, whatever else the folder has")
    func bytes() throws {
        let folder = Array("music/".utf8) + [0x93, 0xFA, 0x96, 0x7B]
        try home.directory(folder)
        try home.file(folder + Array("/Cover.JPG".utf8), "jpg")
        try home.file(folder + Array("/folder".utf8) + [0xE9] + Array(".png".utf8), "png")
        #expect(pictures.bytes(besideFileAt: home.path(folder + Array("/a.flac".utf8))) == Array("jpg".utf8))
    }

    private var found: String? {
        pictures.bytes(besideFileAt: FilePath(home.path + "/music/album/a.flac")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a folder's picture has one of four names and four extensions, of any case; the first of them is preferred")
    func names() throws {
        #expect(found == nil)
        for name in ["covers.jpg", "cover.gif", "cover", "cover.jpg.txt", "back.jpg", ".cover.jpg", "my cover.jpg"] {
            try home.file("music/album/" + name, name)
            #expect(found == nil)
        }
        // Each of these names has precedence over the preceding ones.
        for name in ["ALBUM.WebP", "album.png", "Front.jpeg", "Folder.JPG", "cover.webp", "Cover.jpg", "COVER.JPG"] {
            try home.file("music/album/" + name, name)
            #expect(found == name)
        }
    }

    @Test("a picture outside the media roots, of another kind, empty or too large is not read; the next one is")
    func confined() throws {
        try home.file("secret.jpg", "secret")
        try home.link("music/album/cover.jpg", to: home.path + "/secret.jpg")
        try home.pipe("music/album/cover.jpeg")
        try home.directory("music/album/cover.png")
        try home.file("music/album/cover.webp", "")
        try home.file("music/album/folder.jpg", String(repeating: "x", count: FolderPicture.maximumSize + 1))
        #expect(found == nil)
        try home.file("music/common.jpg", "shared")
        try home.link("music/album/front.jpg", to: "../common.jpg")
        #expect(found == "shared")
    }

    @Test("a search examines no more names than its limit")
    func limit() throws {
        try home.file("music/album/cover.jpg", "picture")
        let medium = try AbsolutePath(home.path + "/music/album/a.flac")
        #expect(pictures.bytes(beside: medium, examining: 0) == nil)
        // The folder has four names: its two files, "." and "..".
        #expect(pictures.bytes(beside: medium, examining: 4) != nil)
    }

    @Test("a file that was allowed individually has no folder picture")
    func single() throws {
        try home.file("music/album/cover.jpg", "picture")
        let path = home.path + "/music/album/a.flac"
        #expect(FolderPicture(media: try PathConfinement(files: [path])).bytes(besideFileAt: FilePath(path)) == nil)
    }
}
