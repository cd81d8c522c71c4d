import Platform
import Testing

@testable import RemoteControl

/// The pages of a folder's listing.
@Suite struct MediaLibraryTests {
    private let home: TemporaryDirectory
    private let library: MediaLibrary
    private let path: AbsolutePath

    init() throws {
        home = try TemporaryDirectory()
        library = MediaLibrary(confinement: try PathConfinement(roots: [home.path]))
        path = try AbsolutePath(home.path)
    }

    /// Reads all pages of the folder, and calls `change` after each page with its number.
    private func pages(of limit: Int, change: (Int) throws -> Void = { _ in }) throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: MediaLibrary.Cursor?
        repeat {
            let page = try library.list(path, after: cursor, limit: limit)
            pages.append(page.entries.map(\.name))
            cursor = page.next
            try change(pages.count)
        } while cursor != nil
        return pages
    }

    @Test("each name that exists all the time is on exactly one page while others come and go, and the order is kept")
    func changes() throws {
        var random = SplitMix64(state: 7)
        let kept = (0..<60).map { "k\(Int.random(in: 0..<1000, using: &random))-\($0).flac" }
        for name in kept { try home.file(name) }
        var others: [String] = []
        let found = try pages(of: 7) { number in
            for index in 0..<5 {
                others.append("k\(Int.random(in: 0..<1000, using: &random)) new \(number) \(index).flac")
                try home.file(others[others.count - 1])
            }
            others.shuffle(using: &random)
            for name in others.prefix(3) { try home.delete(name) }
            others.removeFirst(3)
            // The walk ends although names go on to arrive.
            try #require(number < 200)
        }.flatMap { $0 }
        #expect(found.filter { kept.contains($0) }.count == kept.count && Set(found).isSuperset(of: kept) && Set(found).count == found.count)
        let keys = found.map { NaturalOrder.standard.key($0.utf8) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.precedes($1) })
    }

    @Test("a page goes on after the last entry of the page before, if that one is gone")
    func vanished() throws {
        for index in 1...6 { try home.file("\(index).flac") }
        let found = try pages(of: 2) { number in if number < 3 { try home.delete("\(2 * number).flac") } }
        #expect(found == [["1.flac", "2.flac"], ["3.flac", "4.flac"], ["5.flac", "6.flac"]])
    }

    @Test("the pages of each size have the same names in the same order", arguments: [1, 2, 3, 5, 17, 100])
    func sizes(_ limit: Int) throws {
        let names = ["10.flac", "9.flac", "é.flac", "E.flac", "e.flac", "Z.m3u", "a b.mp3", "01.flac", "1.flac"]
        for name in names { try home.file(name) }
        for name in ["z", "y10", "y9.flac"] { try home.directory(name) }
        try home.link("link.flac", to: "10.flac")
        try home.link("door", to: "/etc")
        #expect(
            try pages(of: limit).flatMap { $0 } == [
                "y9.flac", "y10", "z", "01.flac", "1.flac", "9.flac", "10.flac", "a b.mp3", "e.flac", "E.flac", "é.flac", "link.flac", "Z.m3u",
            ])
    }

    @Test("a listing cuts off the end of the order, whatever order the file system has")
    func end() throws {
        for index in (0..<50).reversed() { try home.file("\(index).flac") }
        let page = try library.list(path, limit: 5)
        #expect(page.entries.map(\.name) == (0..<5).map { "\($0).flac" })
        #expect(page.count == 50 && page.offset == 0 && page.next?.text == "4.flac")
        let later = try library.list(path, offset: 48, limit: 5)
        #expect(later.entries.map(\.name) == ["48.flac", "49.flac"] && later.next == nil && later.offset == 48)
        #expect(try library.list(path, offset: 60, limit: 5).offset == 50)
    }

    @Test("a directory with too many names is refused")
    func tooMany() throws {
        for index in 0..<5 { try home.file("\(index).txt") }
        var small = library
        small.nameLimit = 6
        #expect(throws: Problem.self) { try small.list(path) }
        small.nameLimit = 7
        #expect(try small.list(path).entries.isEmpty)
    }

    @Test("a link that leads nowhere is not counted")
    func links() throws {
        try home.file("a.flac")
        for index in 0..<4 { try home.link("\(index).flac", to: "nothing") }
        let page = try library.list(path, limit: 2)
        #expect(page.entries.map(\.name) == ["a.flac"] && page.count == 1 && page.next == nil)
    }

    @Test("names that are not UTF-8 have an order, and each is on one page")
    func bytes() throws {
        let names: [[UInt8]] = [[0xE9], [0xE8], [0xC3, 0xA9], [0xE9, 0x41], [0xE9, 0x61], [0x80], [0xFF, 0xFE]]
        for name in names { try home.file(name + Array(".flac".utf8)) }
        var found: [[UInt8]] = []
        var cursor: MediaLibrary.Cursor?
        repeat {
            let page = try library.list(path, after: cursor.flatMap { MediaLibrary.Cursor($0.text) }, limit: 2)
            found += page.entries.map { Array($0.path.nameBytes.dropLast(5)) }
            cursor = page.next
        } while cursor != nil
        #expect(found == [[0xC3, 0xA9], [0x80], [0xE8], [0xE9], [0xE9, 0x61], [0xE9, 0x41], [0xFF, 0xFE]])
    }
}
