import Testing

@testable import RemoteControl

@Suite("The first names of a folder, in any order of the folder")
struct NameSelectionTests {
    private func selection(
        _ names: [String], after: ListingPosition? = nil, wanted: Int, textLimit: Int = NameSelection.maximumTextSize
    ) -> NameSelection {
        var selection = NameSelection(after: after, wanted: wanted, textLimit: textLimit)
        for name in names {
            Array(name.utf8).withUnsafeBufferPointer { selection.add($0, name.utf8.contains(0x2E) ? .audio : .directory, isLink: false) }
        }
        selection.prune()
        return selection
    }

    private func texts(_ selection: NameSelection) -> [String] {
        (0..<selection.selectedCount).map { String(decoding: selection.name($0), as: UTF8.self) }
    }

    /// The numbers from 0 on in an order of a multiplication.
    private func shuffled(_ count: Int) -> [Int] { (0..<count).map { $0 * 7919 % count } }

    @Test("the first names are selected of many more than are kept, folders before files")
    func first() {
        let names = shuffled(5000).map { "\($0).flac" } + shuffled(3).map { "folder \($0)" }
        let selected = selection(names, wanted: 5)
        #expect(texts(selected) == ["folder 0", "folder 1", "folder 2", "0.flac", "1.flac"])
        #expect(selected.count == 5003 && selected.countBefore == 0 && selected.isCut)
    }

    @Test("names in descending order are selected too")
    func descending() {
        #expect(texts(selection((0..<5000).reversed().map { "\($0).flac" }, wanted: 2)) == ["0.flac", "1.flac"])
    }

    @Test("a selection begins after a name that the folder does not have any more")
    func after() {
        let start = ListingPosition(.file, Array("7.flac deleted".utf8))
        let selected = selection(["9.flac", "7.flac", "8.flac", "folder"], after: start, wanted: 1)
        #expect(texts(selected) == ["8.flac"])
        #expect(selected.countBefore == 2 && selected.isCut)
    }

    @Test("names that fit are all selected, and nothing is cut")
    func whole() {
        let selected = selection(["b.flac", "A.flac"], wanted: 2)
        #expect(texts(selected) == ["A.flac", "b.flac"] && !selected.isCut)
    }

    @Test("a name that was found twice is selected once")
    func twice() {
        let selected = selection(["b.flac", "a.flac", "b.flac"], wanted: 3)
        #expect(texts(selected) == ["a.flac", "b.flac"] && !selected.isCut)
    }

    @Test("long names are cut at the limit of memory, and at least one is selected")
    func limited() {
        let names = shuffled(2000).map { "\($0) " + String(repeating: "x", count: 90) + ".flac" }
        let selected = selection(names, wanted: 1000, textLimit: 1000)
        #expect(texts(selected) == (0..<10).map { "\($0) " + String(repeating: "x", count: 90) + ".flac" } && selected.isCut)
        #expect(texts(selection(names, wanted: 1000, textLimit: 1)).count == 1)
    }

    @Test("pages after each other have each name once, whatever their bytes are")
    func pages() {
        let names = [[0xE9], [0xC3, 0xA9], [0xC3, 0x89], [0xFF, 0xFE], [0x65], [0x45], [0x65, 0xCC, 0x81], [0x30], [0x30, 0x30], [0x80], [0x81]]
            .map { ($0 as [UInt8]) + Array(".flac".utf8) }
        var found: [[UInt8]] = []
        var position: ListingPosition?
        repeat {
            var selection = NameSelection(after: position, wanted: 1)
            for name in names { name.withUnsafeBufferPointer { selection.add($0, .audio, isLink: false) } }
            selection.prune()
            if selection.selectedCount == 1 { found.append(Array(selection.name(0))) }
            position = selection.isCut ? ListingPosition(ListingPosition(.file, Array(selection.name(0))).text) : nil
        } while position != nil && found.count <= names.count
        #expect(found.count == names.count && Set(found) == Set(names))
    }

    @Test(
        "a position is the text that clients send back",
        arguments: ["", "file", "file/", "files/a", "file/%4", "file/" + String(repeating: "a", count: 1025)])
    func positions(_ malformed: String) {
        #expect(ListingPosition(malformed) == nil)
        let position = ListingPosition(.folder, [0xE9, 0x20, 0x25, 0x2F])
        #expect(position.text == "folder/%E9%20%25%2F" && ListingPosition(position.text) == position)
    }
}
