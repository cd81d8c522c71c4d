import Foundation
import Glibc
import Platform
import Player
import Testing

@testable import RemoteControl

@Suite struct PathConfinementTests {
    private let home: TemporaryDirectory
    private let confinement: PathConfinement

    /// Creates the folders: music/ is the media root, secret/ is outside it, and the file song.flac outside it is permitted individually.
    init() throws {
        home = try TemporaryDirectory()
        try home.directory("music")
        try home.directory("music/album")
        try home.file("music/album/one.flac")
        try home.directory("secret")
        try home.file("secret/key.flac")
        try home.file("song.flac")
        try home.file("other.flac")
        confinement = try PathConfinement(roots: [home.path + "/music"], files: [home.path + "/song.flac"])
    }

    /// Returns the resolved path; the code of the problem if the path is refused; "no path" if the text is no absolute path.
    private func resolve(_ path: String, _ confinement: PathConfinement? = nil) -> String {
        guard let path = try? AbsolutePath(path) else { return "no path" }
        do throws(Problem) { return try (confinement ?? self.confinement).open(path).path.text } catch { return error.code.name }
    }

    @Test("a file under the root is found by every spelling of its path")
    func inside() {
        let wanted = home.path + "/music/album/one.flac"
        for spelling in [
            "/music/album/one.flac", "/music//album/./one.flac", "/music/album/../album/one.flac", "/secret/../music/album/one.flac",
            "/nothing/../music/album/one.flac",
        ] {
            #expect(resolve(home.path + spelling) == wanted, "\(spelling)")
        }
        #expect(resolve("/../.." + wanted) == wanted)
        #expect(resolve(home.path + "/music") == home.path + "/music")
    }

    @Test("a path outside the root is refused with the same problem whether it exists or not")
    func outside() {
        for path in [
            "/secret/key.flac", "/secret/nothing.flac", "/secret", "/nothing", "/music/../secret/key.flac", "/music/../secret/nothing",
            "/music/../../../etc/passwd",
            "/musical/x.flac", "/musi", "/other.flac", "", "/..",
        ] {
            #expect(resolve(home.path + path) == "outside-media-roots", "\(path)")
        }
        #expect(resolve("/etc/passwd") == "outside-media-roots")
        #expect(resolve("/") == "outside-media-roots")
    }

    @Test("a missing path under the root is not found")
    func missing() {
        for path in ["/music/nothing.flac", "/music/no/such/dir/x.flac", "/music/album/one.flac/x"] {
            #expect(resolve(home.path + path) == "file-not-found", "\(path)")
        }
    }

    @Test("a symlink out of the root is refused, whether its target exists or not")
    func symlinksOut() throws {
        try home.link("music/door", to: "../secret")
        try home.link("music/key.flac", to: home.path + "/secret/key.flac")
        try home.link("music/dangling", to: home.path + "/secret/nothing")
        try home.link("music/loop", to: "loop")
        try home.link("music/root", to: "/")
        try home.directory("secret/deep")
        try home.link("secret/back.flac", to: "nowhere")
        for path in [
            "/music/door", "/music/door/", "/music/door/key.flac", "/music/door/nothing", "/music/door/deep/x", "/music/door/key.flac/x",
            "/music/door/back.flac",
            "/music/key.flac", "/music/dangling", "/music/dangling/x", "/music/loop", "/music/loop/x", "/music/root/etc/passwd",
            "/music/root/etc/nothing",
        ] {
            #expect(resolve(home.path + path) == "outside-media-roots", "\(path)")
        }
    }

    @Test("`..` after a symlink is resolved as text, so that it cannot leave the symlink's target")
    func dotDotBehindSymlink() throws {
        try home.link("music/door", to: "../secret")
        #expect(resolve(home.path + "/music/door/../album/one.flac") == home.path + "/music/album/one.flac")
        #expect(resolve(home.path + "/music/door/../key.flac") == "file-not-found")
    }

    @Test("a symlink to a target under the roots is resolved to the target")
    func symlinksInside() throws {
        try home.link("music/best.flac", to: "album/one.flac")
        #expect(resolve(home.path + "/music/best.flac") == home.path + "/music/album/one.flac")
    }

    @Test("a root that is itself a symlink can be named by either path")
    func linkedRoot() throws {
        try home.link("tunes", to: "music")
        let confinement = try PathConfinement(roots: [home.path + "/tunes"])
        #expect(resolve(home.path + "/tunes/album/one.flac", confinement) == home.path + "/music/album/one.flac")
        #expect(resolve(home.path + "/music/album/one.flac", confinement) == home.path + "/music/album/one.flac")
        #expect(resolve(home.path + "/tunes/nothing", confinement) == "file-not-found")
        #expect(resolve(home.path + "/song.flac", confinement) == "outside-media-roots")
    }

    @Test("an open place stays the object that was judged, after a link to the outside has taken its name")
    func replacedWhileOpen() throws {
        try home.file("secret/one.flac", "secret")
        let folder = try confinement.open(AbsolutePath(home.path + "/music/album"))
        let file = try #require(confinement.open(Array("one.flac".utf8), in: folder))
        #expect(rename(home.path + "/music/album", home.path + "/music/former") == 0)
        try home.link("music/album", to: "../secret")
        try home.link("music/former/door", to: "../../secret/one.flac")
        #expect(file.kind == .file && file.file.content(sizes: 1...10) == Array("x".utf8) && file.file.start(10) == Array("x".utf8))
        #expect(confinement.open(Array("one.flac".utf8), in: folder)?.path.text == home.path + "/music/former/one.flac")
        #expect(confinement.open(Array("door".utf8), in: folder) == nil && resolve(home.path + "/music/album/one.flac") == "outside-media-roots")
        #expect(file.file.content(sizes: 2...10) == nil && folder.file.content(sizes: 0...10) == nil)
    }

    @Test("a permitted file does not permit its folder")
    func permittedFile() {
        #expect(resolve(home.path + "/song.flac") == home.path + "/song.flac")
        #expect(resolve(home.path + "/song.flac/x") == "outside-media-roots")
        #expect(resolve(home.path + "/other.flac") == "outside-media-roots")
    }

    @Test("a permitted file is refused after it was replaced by a symlink, and not found after it was removed")
    func permittedFileReplaced() throws {
        #expect(remove(home.path + "/song.flac") == 0)
        #expect(resolve(home.path + "/song.flac") == "file-not-found")
        try home.link("song.flac", to: "secret/key.flac")
        #expect(resolve(home.path + "/song.flac") == "outside-media-roots")
    }

    @Test("two names that are equal as Swift strings are distinct directories")
    func canonicalEquivalence() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        try home.directory(composed)
        try home.directory(decomposed)
        try home.file(decomposed + "/x.flac")
        let confinement = try PathConfinement(roots: [home.path + "/" + composed])
        #expect(resolve(home.path + "/" + decomposed + "/x.flac", confinement) == "outside-media-roots")
        #expect(resolve(home.path + "/" + composed + "/x.flac", confinement) == "file-not-found")
    }

    @Test("an unusable root is refused")
    func unusableRoots() {
        for root in [home.path + "/song.flac", home.path + "/song.flac/folder", "relative", ""] {
            #expect(throws: PathConfinement.Unusable.self) { try PathConfinement(roots: [root]) }
        }
    }

    @Test("a root that does not exist yet is named, and permits its files as soon as it exists, and nothing else")
    func missingRoot() throws {
        let root = home.path + "/share/music"
        let confinement = try PathConfinement(roots: [home.path + "/music", root])
        #expect(confinement.missingRoots == [FilePath(root)])
        #expect(try PathConfinement(roots: [home.path + "/music"]).missingRoots.isEmpty)
        #expect(resolve(root + "/x.flac", confinement) == "file-not-found")
        #expect(confinement.permits(resolved: FilePath(root + "/x.flac")) && !confinement.permits(resolved: FilePath(home.path + "/share/x.flac")))
        try home.directory("share")
        try home.directory("share/music")
        try home.file("share/music/x.flac")
        try home.file("share/y.flac")
        #expect(resolve(root + "/x.flac", confinement) == root + "/x.flac")
        #expect(resolve(home.path + "/share/y.flac", confinement) == "outside-media-roots")
    }

    @Test("a root that is a link to a folder that does not exist yet permits the files that this folder will have")
    func danglingRoot() throws {
        try home.directory("mnt")
        try home.link("share", to: "mnt/usb")
        try home.link("tunes", to: home.path + "/share/music")
        let root = home.path + "/tunes"
        let real = home.path + "/mnt/usb/music"
        let confinement = try PathConfinement(roots: [root])
        #expect(confinement.missingRoots == [FilePath(root)] && confinement.realRoots == [FilePath(real)])
        #expect(resolve(root + "/x.flac", confinement) == "file-not-found")
        #expect(confinement.permits(resolved: FilePath(real + "/x.flac")))
        #expect(try confinement.expectedPlace(of: AbsolutePath(root + "/x.flac")).text == real + "/x.flac")
        try home.directory("mnt/usb")
        try home.directory("mnt/usb/music")
        try home.file("mnt/usb/music/x.flac")
        try home.file("mnt/usb/y.flac")
        #expect(resolve(root + "/x.flac", confinement) == real + "/x.flac")
        #expect(resolve(home.path + "/share/y.flac", confinement) == "outside-media-roots")
    }

    // MARK: Length

    @Test("the longest path that the system accepts is looked up, and one byte more is refused by its text")
    func longestPath() throws {
        var longest = home.path + "/music"
        while longest.utf8.count < AbsolutePath.maximumLength {
            let room = AbsolutePath.maximumLength - longest.utf8.count
            longest += "/" + String(repeating: "x", count: room > 250 ? 200 : room - 1)
        }
        #expect(resolve(longest) == "file-not-found")
        #expect(throws: AbsolutePath.Fault.tooLong) { try AbsolutePath(longest + "y") }
        // A path is also too long if only its normalised form (without "..") would be short.
        #expect(throws: AbsolutePath.Fault.tooLong) { try AbsolutePath("/" + String(repeating: "a/../", count: 820)) }
        #expect(throws: PathConfinement.Unusable.self) { try PathConfinement(files: [longest + "y"]) }
    }

    @Test("a name of 255 bytes is looked up, one of 256 is refused, even if `..` follows", arguments: ["x", "\u{E9}", "\u{1F3B5}"])
    func longestName(_ letter: String) throws {
        let letters = String(repeating: letter, count: 255 / letter.utf8.count)
        let name = letters + String(repeating: "z", count: 255 - letters.utf8.count)
        #expect(resolve(home.path + "/music/" + name) == "file-not-found")
        #expect(throws: AbsolutePath.Fault.nameTooLong) { try AbsolutePath("/music/z" + name) }
        #expect(throws: AbsolutePath.Fault.nameTooLong) { try AbsolutePath("/music/z" + name + "/../one.flac") }
    }

    @Test("the existing part of a path is found with at most 12 look-ups, however many names it has")
    func fewLooks() throws {
        let path = try AbsolutePath(String(repeating: "/a", count: 2047))
        for existing in [0, 1, 2, 1000, 2046, 2047] {
            var looks = 0
            let depth = PathConfinement.existingDepth(of: path) { beginning in
                looks += 1
                return beginning.depth <= existing
            }
            #expect(depth == existing)
            #expect(looks <= 12)
        }
    }

    @Test("a path of the greatest number of names is classified like a short one: outside, not found, or through a link")
    func manyNames() throws {
        try home.link("music/door", to: "../secret")
        try home.link("music/self", to: ".")
        func long(_ start: String, _ name: String) -> String {
            let start = home.path + start
            return start + String(repeating: name, count: (AbsolutePath.maximumLength - start.utf8.count) / name.utf8.count)
        }
        #expect(resolve(long("/music", "/a")) == "file-not-found")
        #expect(resolve(long("/music/album", "/a")) == "file-not-found")
        #expect(resolve(long("/music/door", "/a")) == "outside-media-roots")
        #expect(resolve(long("/secret", "/a")) == "outside-media-roots")
        // A path that contains more symbolic links than the system follows is refused.
        #expect(resolve(long("/music", "/self")) == "outside-media-roots")
        let nothing = try AbsolutePath(long("/music/self", "/a"))
        #expect(confinement.expectedPlace(of: nothing).text == nothing.text.replacingOccurrences(of: "/music/self", with: "/music"))
    }

    @Test("AbsolutePath gives the components, parents and prefixes of a normalised path")
    func parts() throws {
        let path = try AbsolutePath("//a/./b/../c\u{301}/")
        #expect(path.text == "/a/c\u{301}" && path.name == "c\u{301}" && path.depth == 2)
        #expect(path.parent?.text == "/a" && path.parent?.parent?.text == "/" && path.parent?.parent?.parent == nil)
        #expect(try path.parent == AbsolutePath("/a") && path.prefix(9) == path && path.prefix(0).name == "/")
        #expect(try path.isInside(AbsolutePath("/")) && path.isInside(path) && path.isInside(AbsolutePath("/a")))
        #expect(try !path.isInside(AbsolutePath("/a/c")) && !path.prefix(0).isInside(path))
        #expect(try AbsolutePath("/r").appending(path, after: 1).text == "/r/c\u{301}")
        #expect(try AbsolutePath("/").appending("x") == AbsolutePath("/x"))
        #expect(throws: AbsolutePath.Fault.notAbsolute) { try AbsolutePath("a") }
        #expect(throws: AbsolutePath.Fault.notAbsolute) { try AbsolutePath("/a\0") }
    }

    @Test("the root / permits every file")
    func wholeSystem() throws {
        let confinement = try PathConfinement(roots: ["/"])
        #expect(resolve(home.path + "/secret/key.flac", confinement) == home.path + "/secret/key.flac")
    }

    @Test("a file of an earlier command line is permitted by both of its paths, and nothing beside it is")
    func earlier() throws {
        let file = PermittedFile(given: home.path + "/link", real: home.path + "/secret/key.flac")
        let later = confinement.permitting([file, PermittedFile(given: "relative", real: "/")])
        #expect(later.permits(resolved: FilePath(reference: file.real)) && !confinement.permits(resolved: FilePath(reference: file.real)))
        #expect(resolve(file.real, later) == file.real)
        #expect(resolve(home.path + "/secret/nothing.flac", later) == "outside-media-roots")
        #expect(resolve(home.path + "/other.flac", later) == "outside-media-roots")
        #expect(later.permittedFiles.map(\.real) == [home.path + "/song.flac", file.real])
        #expect(resolve(file.given, later) == "file-not-found")
    }

    @Test("a file of an earlier command line whose path leads to another file now is refused, and so is one that this command line names differently")
    func earlierChanged() throws {
        symlink(home.path + "/secret/key.flac", home.path + "/link")
        let earlier = PermittedFile(given: home.path + "/link", real: home.path + "/other.flac")
        let later = confinement.permitting([earlier])
        #expect(resolve(earlier.given, later) == "outside-media-roots")
        #expect(resolve(earlier.real, later) == earlier.real)
        let named = try PathConfinement(files: [home.path + "/link"]).permitting([earlier])
        #expect(resolve(earlier.given, named) == home.path + "/secret/key.flac")
        #expect(!named.permits(resolved: FilePath(reference: earlier.real)))
    }
}
