public import AVFoundation
import Platform
public import PlaybackEngine

/// The state of a player that is saved from one run of the program to the next, as a value.
public struct SavedPlayer: Sendable {
    /// The position that was heard, and the requested rate.
    public struct Playhead: Sendable, Hashable {
        /// The position in the current entry, in seconds.
        public var time: Double
        /// The requested rate; 0 means paused.
        public var rate: Double
        public init(time: Double = 0, rate: Double = 0) { self.time = time; self.rate = rate }
    }

    public var playlist = SavedPlaylist()
    /// A number that differs for different playlists of one run of the program. So two states are compared without a comparison of their playlists.
    public var edition = 0
    /// The ids of the entries that were added, removed or changed since the state that was saved before; nil if they are not known.
    public var changedEntries: Set<String>?
    public var playhead = Playhead()
    public var settings = SavedSettings()
    public init() {}

    /// Returns whether two states of one run of the program are equal.
    func equals(_ other: SavedPlayer) -> Bool { edition == other.edition && playhead == other.playhead && settings == other.settings }
}

/// The settings of a player that are saved from one run of the program to the next. Nil means a setting that was never saved, so the default applies;
/// for the volume, `safeVolume`.
public struct SavedSettings: Sendable, Hashable {
    /// The volume if there may be a saved one that cannot be used: audible, and never a shock to somebody who had it low.
    public static let safeVolume = 0.3

    public var volume: Double?
    public var isMuted: Bool?
    public var defaultRate: Double?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var outputRates: OutputRates?
    /// The output that a client or the user has chosen; nil if none was chosen.
    public var output: OutputChoice?
    public init() {}
}

/// The part of a playlist that is saved from one run of the program to the next, as a value. A `SavedPlaylist` is cheap to copy, because it shares
/// its memory with the playlist until the playlist changes.
public struct SavedPlaylist: Sendable {
    public var entries: [PlaylistEntry] = []
    public var currentID: String?
    public var repeatMode = PlaylistMachine.RepeatMode.off
    public var isShuffled = false
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public var isConsuming = false
    /// The ids of all entries in playback order if the playlist is shuffled; otherwise empty.
    public var shuffledOrder: [String] = []
    /// The ids of the entries that were current before, the latest last.
    public var history: [String] = []
    public var revision = 0
    /// The number of the next new entry. It is saved, so that a new entry never has the id of an earlier entry.
    public var nextNumber = 1
    /// The state of the generator of random numbers for the shuffle.
    public var generator: UInt64 = 0
    public init() {}

    /// The saved playlist without its entries, but with its settings and the number of the next entry.
    public var withoutEntries: SavedPlaylist {
        var copy = self
        (copy.entries, copy.currentID, copy.shuffledOrder, copy.history) = ([], nil, [], [])
        copy.revision += entries.isEmpty ? 0 : 1
        return copy
    }

    /// The limit of the number of an entry and of the revision, so that later numbers cannot overflow. Saved entries with a number at or above the
    /// limit are removed, and a larger revision is lowered to the limit.
    private static let largestNumber = Int.max / 2

    /// A corrected copy of the playlist: no id occurs twice, each id belongs to an entry, and the shuffled order contains each entry. A playlist that
    /// this program has saved needs no correction.
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
        let digits = id.utf8.dropFirst()
        guard id.utf8.first == UInt8(ascii: "e"), digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(Substring(digits))
    }
}

/// A file outside the media roots that clients may use, because a command line has named it. The permission is saved with the queue, so that the file
/// can be played after a restart whose command line does not name it.
public struct PermittedFile: Sendable {
    /// The largest number of files that are kept.
    public static let maximumCount = 10_000
    /// The limit of all kept paths together, in bytes.
    public static let maximumTextSize = 16 << 20

    /// The absolute path as the command line named it, in the form of `FilePath.reference`.
    public var given: String
    /// The path of the file to which `given` led, with its symlinks resolved, in the same form.
    public var real: String
    public init(given: String, real: String) { self.given = given; self.real = real }

    /// Returns the files in `files` that a playlist contains. The permission of any other file ends with the run whose command line has named it.
    public static func of(_ playlist: SavedPlaylist, among files: [PermittedFile]) -> [PermittedFile] {
        guard !files.isEmpty else { return [] }
        let known = Set(files.map { OuterText($0.real) })
        var found = Set<OuterText>()
        for entry in playlist.entries {
            guard case .file(let path) = entry.spec.source.location else { continue }
            let reference = OuterText(path.reference)
            if known.contains(reference) { found.insert(reference) }
        }
        return files.filter { found.contains(OuterText($0.real)) }
    }
}
