/// All of a playlist that is kept from one run of the program to the next, as a value. Copying it is cheap, because the copy shares its memory with
/// the playlist until the playlist changes.
public struct SavedPlaylist: Sendable {
    public var entries: [PlaylistEntry] = []
    public var currentID: String?
    public var repeatMode = PlaylistMachine.RepeatMode.off
    public var isShuffled = false
    /// Whether an entry is removed after another entry has followed it.
    public var isConsuming = false
    /// The ids of all entries in playback order if the playlist is shuffled; otherwise empty.
    public var shuffledOrder: [String] = []
    /// The ids of the entries that were current before, the latest last.
    public var history: [String] = []
    public var revision = 0
    /// The number of the next new entry. It is kept, so that an id never means two entries.
    public var nextNumber = 1
    /// The state of the generator of random numbers for the shuffle.
    public var generator: UInt64 = 0
    public init() {}

    /// Returns the playlist without its entries. The settings and the number of the next entry stay.
    public var withoutEntries: SavedPlaylist {
        var copy = self
        (copy.entries, copy.currentID, copy.shuffledOrder, copy.history) = ([], nil, [], [])
        copy.revision += entries.isEmpty ? 0 : 1
        return copy
    }

    /// The largest number of an entry and the largest revision that are accepted, so that no later number overflows.
    private static let largestNumber = Int.max / 2

    /// Returns the playlist with only what agrees with the entries: no id twice, no id without an entry, and each entry in the shuffled order. A
    /// playlist that was saved by this program is unchanged.
    var consistent: SavedPlaylist {
        var copy = self
        var known = Set<String>()
        copy.entries = entries.filter { (PlaylistEntry.number(ofID: $0.id) ?? 0) < Self.largestNumber && known.insert($0.id).inserted }
        if copy.entries.count > PlaylistMachine.maximumCount {
            copy.entries.removeLast(copy.entries.count - PlaylistMachine.maximumCount)
            known = Set(copy.entries.map(\.id))
        }
        copy.history = Array(history.filter(known.contains).suffix(PlaylistMachine.maximumHistory))
        copy.currentID = currentID.flatMap { known.contains($0) ? $0 : nil }
        var ordered = Set<String>()
        copy.shuffledOrder = isShuffled ? shuffledOrder.filter { known.contains($0) && ordered.insert($0).inserted } : []
        if isShuffled, ordered.count < known.count { copy.shuffledOrder += copy.entries.map(\.id).filter { !ordered.contains($0) } }
        let largest = copy.entries.lazy.compactMap { PlaylistEntry.number(ofID: $0.id) }.max() ?? 0
        copy.nextNumber = max(min(nextNumber, Self.largestNumber), largest + 1)
        copy.revision = min(max(revision, 0), Self.largestNumber)
        return copy
    }
}

extension PlaylistEntry {
    /// Returns the id of the entry with a number.
    public static func id(ofNumber number: Int) -> String { "e\(number)" }

    /// Returns the number of the entry with an id; nil if no entry has such an id.
    public static func number(ofID id: String) -> Int? {
        var digits = id.utf8[...]
        guard digits.popFirst() == UInt8(ascii: "e"), !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(Int(digit - 0x30))
            guard !overflowed, !isTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
