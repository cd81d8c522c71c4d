import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Tests of files that were replaced by a link after the check of their paths, and before they are opened.
@Suite("Files and symbolic links")
struct FileSourceTests {
    private let folder: URL
    private let song: URL

    /// Creates two files: root/album/song.wav inside the media root `root`, and secret/song.wav outside it.
    init() throws {
        folder = TestMedia.shared.directory.appending(path: "links-\(UUID().uuidString)").resolvingSymlinksInPath()
        let wave = try TestMedia.shared.wave(TestSignal(frameCount: 1_000))
        for name in ["root/album", "secret"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: wave, to: folder.appending(path: name + "/song.wav"))
        }
        song = folder.appending(path: "root/album/song.wav")
    }

    private func open(_ url: URL, followsLinks: Bool) throws -> any AudioReader {
        var source = MediaSource(.file(path: url.path))
        source.followsLinks = followsLinks
        return try FFmpegOpener().open(source, interrupt: Interrupt())
    }

    /// Replaces a component of the checked path by a link to `target`.
    private func swap(_ name: String, for target: String) throws {
        try FileManager.default.removeItem(at: folder.appending(path: name))
        try FileManager.default.createSymbolicLink(at: folder.appending(path: name), withDestinationURL: folder.appending(path: target))
    }

    @Test("a file whose name is not UTF-8 is opened", arguments: [true, false])
    func bytes(followsLinks: Bool) throws {
        let path = FilePath(bytes: Array((folder.path + "/root/caf").utf8) + [0xE9, 0x93, 0xFA] + Array(".wav".utf8))
        #expect(path.withCString { link(song.path, $0) } == 0)
        var source = MediaSource(.file(path))
        source.followsLinks = followsLinks
        #expect(try FFmpegOpener().open(source, interrupt: Interrupt()).duration == .exact(frames: 1_000, sampleRate: 44_100))
    }

    @Test("a path without links is opened, whether links are followed or not", arguments: [true, false])
    func plain(followsLinks: Bool) throws {
        #expect(try open(song, followsLinks: followsLinks).duration == .exact(frames: 1_000, sampleRate: 44_100))
    }

    @Test(
        "a link that has replaced the file or a parent folder is not followed if followsLinks is false",
        arguments: [("root/album/song.wav", "secret/song.wav"), ("root/album", "secret"), ("root", "elsewhere")])
    func swapped(name: String, target: String) throws {
        if target == "elsewhere" {
            let elsewhere = folder.appending(path: "elsewhere/album")
            try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: song, to: elsewhere.appending(path: "song.wav"))
        }
        try swap(name, for: target)
        #expect(try open(song, followsLinks: true).duration == .exact(frames: 1_000, sampleRate: 44_100))
        #expect { try open(song, followsLinks: false) } throws: { ($0 as? PlaybackError)?.code == .fileNotFound }
    }

    @Test("a path with `..` is refused if followsLinks is false")
    func dotted() throws {
        let dotted = URL(fileURLWithPath: folder.path + "/secret/../root/album/song.wav")
        #expect { try open(dotted, followsLinks: false) } throws: { ($0 as? PlaybackError)?.code == .fileNotFound }
    }
}
