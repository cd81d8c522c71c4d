import Dispatch
import Glibc
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import RemoteControl

/// A folder inside the media roots that is exchanged for a link to a folder outside, again and again, while requests are answered.
@Suite struct ExchangeTests {
    private typealias Rename = @convention(c) @Sendable (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    private static let count = TestDepth.isThorough ? 50_000 : 1_000

    private let home: TemporaryDirectory
    private let confinement: PathConfinement

    init() throws {
        home = try TemporaryDirectory()
        try home.directory("music")
        for (folder, word) in [("music/album", "inside"), ("secret", "outside")] {
            try home.directory(folder)
            try home.file("\(folder)/\(word).flac")
            try home.file("\(folder)/list.m3u", "\(word).flac\n")
            try home.file("\(folder)/cover.jpg", word)
        }
        try home.link("music/door", to: "../secret")
        confinement = try PathConfinement(roots: [home.path + "/music"])
    }

    /// Performs work while another thread exchanges two names.
    private func exchanging(_ one: String, _ other: String, during work: () throws -> Void) throws {
        // Swift does not see the declaration, which is for _GNU_SOURCE.
        let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "renameat2"))
        let rename = unsafeBitCast(symbol, to: Rename.self)
        let exchangeFlag: UInt32 = 2
        try #require(rename(AT_FDCWD, one, AT_FDCWD, other, exchangeFlag) == 0)
        let stop = Interrupt(), ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            while !stop.isRaised { _ = rename(AT_FDCWD, one, AT_FDCWD, other, exchangeFlag) }
            ended.signal()
        }
        defer {
            stop.raise()
            ended.wait()
        }
        try work()
    }

    @Test("no answer shows anything of the folder outside: neither names, nor what a playlist names, nor a picture, nor a file")
    func exchange() throws {
        let album = try AbsolutePath(home.path + "/music/album")
        let library = MediaLibrary(confinement: confinement)
        let pictures = FolderPicture(media: confinement)
        let web = try StaticFiles(directory: home.path + "/music")
        var shown: [Set<String>] = [[], [], [], []]
        var answers = 0, refusals = 0
        try exchanging(home.path + "/music/album", home.path + "/music/door") {
            while answers < Self.count || refusals == 0 || shown.contains(where: \.isEmpty) {
                answers += 1
                if let listing = try? library.list(album) {
                    shown[0].insert(listing.entries.map(\.name).joined(separator: " "))
                } else {
                    refusals += 1
                }
                let clock = MonotonicClock()
                let expansion = MediaExpansion(library: library, clock: clock, deadline: clock.now + 10.0, maximumCount: 10)
                if let found = try? MediaExpansion.media(of: album.appending("list.m3u"), with: expansion) {
                    shown[1].formUnion(found.map { if case .file(let path) = $0.medium { path.name } else { "another medium" } })
                }
                if let picture = pictures.bytes(beside: album.appending("inside.flac")) { shown[2].insert(String(decoding: picture, as: UTF8.self)) }
                if let file = web.file("/album/list.m3u") { shown[3].insert(String(decoding: file.bytes, as: UTF8.self)) }
            }
        }
        #expect(shown == [["inside.flac list.m3u"], ["inside.flac"], ["inside"], ["inside.flac\n"]])
    }
}
