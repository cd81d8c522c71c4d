import Platform
import PlaybackEngine
import Synchronization
import Testing

@testable import RemoteControl

@Suite("The pages of a listing")
struct ListingPageTests {
    private let home: TemporaryDirectory
    private let library: MediaLibrary
    private let path: AbsolutePath

    init() throws {
        home = try TemporaryDirectory()
        try home.directory("music")
        library = MediaLibrary(confinement: try PathConfinement(roots: [home.path + "/music"]))
        path = try AbsolutePath(home.path + "/music")
    }

    private func names(_ listing: MediaLibrary.Listing) -> [String] { listing.entries.map { String(decoding: $0.name, as: UTF8.self) } }

    /// Returns the names of all pages from a position on. The function `between` runs before each further page.
    private func all(_ limit: Int, from start: ListingPosition? = nil, between: (Int) throws -> Void = { _ in }) throws -> [String] {
        var found: [String] = []
        var part = MediaLibrary.Part(after: start, limit: limit)
        for number in 0... {
            if number > 0 { try between(number) }
            let listing = try library.list(path, part)
            found += names(listing)
            part.after = listing.next
            if listing.next == nil { break }
        }
        return found
    }

    @Test("a page has the first names, the numbers of all entries and of those before it, and the position after it")
    func page() throws {
        for index in (0..<12).reversed() { try home.file("music/\(index).flac") }
        try home.directory("music/album")
        let first = try library.list(path, MediaLibrary.Part(limit: 5))
        #expect(names(first) == ["album", "0.flac", "1.flac", "2.flac", "3.flac"])
        #expect(first.count == 13 && first.offset == 0 && first.next == ListingPosition(.file, Array("3.flac".utf8)))
        let second = try library.list(path, MediaLibrary.Part(after: first.next, limit: 100))
        #expect(names(second) == (4..<12).map { "\($0).flac" })
        #expect(second.count == 13 && second.offset == 5 && second.next == nil)
        let last = try library.list(path, MediaLibrary.Part(after: first.next, offset: 6, limit: 5))
        #expect(names(last) == ["10.flac", "11.flac"] && last.offset == 11 && last.next == nil)
        let behind = try library.list(path, MediaLibrary.Part(offset: 100))
        #expect(behind.entries.isEmpty && behind.offset == 13 && behind.next == nil)
    }

    @Test("an offset beyond the names that are kept in memory is reached in several readings")
    func farOffset() throws {
        for index in 0..<40 { try home.file("music/\(index) " + String(repeating: "x", count: 240) + ".flac") }
        let (selection, skipped, offset) = try MediaLibrary.select(MediaLibrary.Part(offset: 31, limit: 2), scan(), maximumSelected: 7)
        #expect((skipped..<selection.selectedCount).map { String(decoding: selection.name($0).prefix(3), as: UTF8.self) } == ["31 ", "32 "])
        #expect(offset == 31 && selection.isCut)
    }

    private func scan() throws -> FolderScan {
        guard case .directory(let directory) = library.open(path) else { throw TemporaryDirectory.Failed(errno: 0) }
        return FolderScan(directory, library.confinement) {}
    }

    @Test("each name that stays is on exactly one page while other names come and go", arguments: [1, 3, 10])
    func changing(limit: Int) throws {
        for index in 0..<40 { try home.file("music/stays \(index).flac") }
        for index in 0..<20 { try home.file("music/goes \(index).flac") }
        let found = try all(limit) { number in
            try home.file("music/a new \(number).flac")
            try home.file("music/stays \(number) also.flac")
            try home.directory("music/new folder \(number)")
            for index in 0..<20 where index % 7 == number % 7 { home.remove("music/goes \(index).flac") }
        }
        let staying = found.filter { $0.hasPrefix("stays") && !$0.contains("also") }
        #expect(staying == (0..<40).map { "stays \($0).flac" })
        #expect(Set(found).count == found.count)
    }

    @Test("the page after a deleted entry begins with the entry that followed it")
    func deleted() throws {
        for name in ["a", "b", "c"] { try home.file("music/\(name).flac") }
        let first = try library.list(path, MediaLibrary.Part(limit: 2))
        home.remove("music/b.flac")
        #expect(try all(2, from: first.next) == ["c.flac"])
    }

    @Test("files are looked at only if they are on the page")
    func unread() throws {
        for index in 0..<10 { try home.file("music/\(index).flac", String(repeating: "x", count: index + 1)) }
        let listing = try library.list(path, MediaLibrary.Part(offset: 3, limit: 2))
        #expect(listing.entries.map { $0.identity?.size } == [4, 5])
        #expect(try library.list(path, MediaLibrary.Part(readsFiles: false)).entries.allSatisfy { $0.identity == nil })
    }

    @Test("links count only if they lead to media inside the roots, so that an offset is a number of entries")
    func links() throws {
        try home.directory("music/album")
        try home.file("music/album/a.flac", "12345")
        try home.file("secret.flac")
        try home.link("music/in.flac", to: "album/a.flac")
        try home.link("music/to album", to: home.path + "/music/album")
        let useless = [("out.flac", "../secret.flac"), ("gone.flac", "nothing"), ("door", "/etc"), ("loop.flac", "loop.flac")]
        for (name, target) in useless { try home.link("music/" + name, to: target) }
        let listing = try library.list(path)
        #expect(names(listing) == ["album", "to album", "in.flac"] && listing.count == 3)
        #expect(listing.entries.last?.identity?.size == 5 && listing.entries.last?.resolved?.text == home.path + "/music/album/a.flac")
    }

    @Test("a folder that was replaced by a link after its check is not listed")
    func replaced() throws {
        try home.directory("other")
        try home.file("other/a.flac")
        var library = library
        let open = library.open
        let home = home
        library.open = { _ in open((try? AbsolutePath(home.path + "/other")) ?? path) }
        #expect(throws: Problem.self) { try library.list(path) }
        library.open = { path in
            home.remove("music")
            _ = try? home.link("music", to: "other")
            return open(path)
        }
        #expect(throws: Problem.self) { try library.list(path) }
    }

    /// A clock that advances by ten seconds at each look.
    private final class HurryingClock: HostClock {
        private let seconds = Mutex(0.0)
        var now: HostTime {
            seconds.withLock {
                $0 += 10
                return HostTime(seconds: $0)
            }
        }
    }

    @Test("a folder that cannot be read in time is refused")
    func late() throws {
        for index in 0..<4200 { try home.directory("music/\(index)") }
        var library = library
        library.clock = HurryingClock()
        #expect { try library.list(path, MediaLibrary.Part(limit: 1)) } throws: { ($0 as? Problem)?.reason == .timedOut }
        library.clock = MonotonicClock()
        #expect(try library.list(path, MediaLibrary.Part(limit: 1)).count == 4200)
    }

    @Test("the list of the roots has pages too")
    func top() throws {
        for name in ["a", "b"] { try home.file("\(name).flac") }
        let library = MediaLibrary(
            confinement: try PathConfinement(roots: [home.path + "/music"], files: [home.path + "/b.flac", home.path + "/a.flac"]))
        let first = library.top(MediaLibrary.Part(limit: 2))
        #expect(names(first) == ["music", "b.flac"] && first.count == 3)
        let second = library.top(MediaLibrary.Part(after: first.next, limit: 2))
        #expect(names(second) == ["a.flac"] && second.offset == 2 && second.next == nil)
    }
}
