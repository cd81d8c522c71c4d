/// Selects the first names of a folder in the order of listings (folders, then files, each in `NaturalOrder`), from names in any order. Memory depends
/// on the number of selected names, not on that of all names.
struct NameSelection {
    struct Item {
        /// The offset in the bytes of the selection.
        fileprivate var start: Int32
        fileprivate var nameLength: UInt16
        /// The length of the name in lower case, which follows the name; 0 if the name is ASCII.
        fileprivate var foldedLength: UInt16
        let kind: MediaLibrary.Kind
        let isLink: Bool
    }

    /// The limit of the selected names together, in bytes.
    static let maximumTextSize = 2 << 20
    /// The smallest number of names that are collected between two sortings, so that few names are not sorted again and again.
    private static let slack = 512

    private let wanted: Int
    private let textLimit: Int
    private var text: [UInt8] = []
    private var items: [Item] = []
    /// The item that all selected names precede or equal; nil as long as every name is selected.
    private var last: (text: [UInt8], item: Item)?
    private let start: (text: [UInt8], item: Item)?

    /// The number of added names, selected or not, that precede or equal the start.
    private(set) var countBefore = 0
    /// The number of all added names.
    private(set) var count = 0

    /// Creates a selection.
    /// - Parameters:
    ///   - start: The selection begins after this position; nil for all names.
    ///   - wanted: The largest number of names. There are fewer if they are long.
    init(after start: ListingPosition?, wanted: Int, textLimit: Int = maximumTextSize) {
        self.wanted = max(1, wanted)
        self.textLimit = textLimit
        self.start = start.map { position in
            var text: [UInt8] = []
            let item = position.name.withUnsafeBufferPointer {
                Self.append($0, NaturalOrder.folded($0), position.kind == .folder ? .directory : .audio, isLink: false, to: &text)
            }
            return (text, item)
        }
    }

    /// Whether names were left out at the end.
    var isCut: Bool { last != nil }

    /// Adds a name.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ kind: MediaLibrary.Kind, isLink: Bool) {
        count += 1
        let folded = NaturalOrder.folded(name)
        func order(_ other: (text: [UInt8], item: Item)) -> Int {
            other.text.withUnsafeBufferPointer { text in
                Self.withKey(name, folded) { Self.compare(kind, $0, other.item.kind, Self.key(of: other.item, in: text)) }
            }
        }
        if let start, order(start) <= 0 {
            countBefore += 1
            return
        }
        if let last, order(last) > 0 { return }
        items.append(Self.append(name, folded, kind, isLink: isLink, to: &text))
        if items.count >= wanted + max(wanted / 2, Self.slack) || text.count >= textLimit + max(textLimit / 2, Self.slack) { prune() }
    }

    /// Sorts the selected names and leaves out those beyond the limits. Call it after the last name was added.
    mutating func prune() {
        let sorted = text.withUnsafeBufferPointer { text in
            items.sorted { Self.compare($0.kind, Self.key(of: $0, in: text), $1.kind, Self.key(of: $1, in: text)) < 0 }
        }
        var kept: [UInt8] = []
        var keptItems: [Item] = []
        keptItems.reserveCapacity(min(sorted.count, wanted))
        var isFull = false
        for var item in sorted {
            let bytes = Int(item.start)..<Int(item.start) + Int(item.nameLength) + Int(item.foldedLength)
            // A name that was renamed while the folder was read may have been found twice.
            if let former = keptItems.last, former.nameLength == item.nameLength,
                kept[Int(former.start)...].prefix(Int(former.nameLength)).elementsEqual(text[bytes].prefix(Int(item.nameLength)))
            {
                continue
            }
            isFull = keptItems.count >= wanted || !keptItems.isEmpty && kept.count + bytes.count > textLimit
            if isFull { break }
            item.start = Int32(kept.count)
            kept += text[bytes]
            keptItems.append(item)
        }
        if isFull, var item = keptItems.last {
            let bytes = Array(kept[Int(item.start)...])
            item.start = 0
            last = (bytes, item)
        }
        (text, items) = (kept, keptItems)
    }

    /// The number of selected names.
    var selectedCount: Int { items.count }
    /// Returns a selected name, by its number in the order of the listing.
    func name(_ number: Int) -> ArraySlice<UInt8> { text[Int(items[number].start)...].prefix(Int(items[number].nameLength)) }
    func item(_ number: Int) -> Item { items[number] }

    // MARK: Order

    private static func append(
        _ name: UnsafeBufferPointer<UInt8>, _ folded: [UInt8]?, _ kind: MediaLibrary.Kind, isLink: Bool, to text: inout [UInt8]
    ) -> Item {
        let item = Item(
            start: Int32(text.count), nameLength: UInt16(clamping: name.count), foldedLength: UInt16(clamping: folded?.count ?? 0), kind: kind,
            isLink: isLink)
        text += name
        if let folded { text += folded }
        return item
    }

    private static func withKey<Result>(
        _ name: UnsafeBufferPointer<UInt8>, _ folded: [UInt8]?, _ body: (NaturalOrder.Key) -> Result
    ) -> Result {
        guard let folded else { return body(NaturalOrder.Key(name: name, folded: name)) }
        return folded.withUnsafeBufferPointer { body(NaturalOrder.Key(name: name, folded: $0)) }
    }

    private static func key(of item: Item, in text: UnsafeBufferPointer<UInt8>) -> NaturalOrder.Key {
        let start = Int(item.start), end = start + Int(item.nameLength)
        let name = UnsafeBufferPointer(rebasing: text[start..<end])
        guard item.foldedLength > 0 else { return NaturalOrder.Key(name: name, folded: name) }
        return NaturalOrder.Key(name: name, folded: UnsafeBufferPointer(rebasing: text[end..<end + Int(item.foldedLength)]))
    }

    private static func compare(_ kind: MediaLibrary.Kind, _ a: NaturalOrder.Key, _ other: MediaLibrary.Kind, _ b: NaturalOrder.Key) -> Int {
        let isFolder = kind == .directory
        guard isFolder == (other == .directory) else { return isFolder ? -1 : 1 }
        return NaturalOrder.compare(a, b)
    }
}
