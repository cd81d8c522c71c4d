public import PlaybackEngine

/// The details of an item of the playlist.
public struct ItemDetails: Sendable, Hashable {
    /// A range of media time, in seconds.
    public struct TimeRange: Sendable, Hashable {
        public var start: Double
        public var end: Double
        public init(start: Double, end: Double) { self.start = start; self.end = end }
    }

    public var item: PlayerState.Item
    /// The location and the options with which the item's medium is opened.
    public var source: MediaSource
    /// The available ranges of the item, in media time; empty if the item is not open.
    public var loaded: [TimeRange]
    /// The seekable ranges of the item, in media time; empty if the item is not open.
    public var seekable: [TimeRange]
    /// The metadata and chapters of the medium; nil before the medium was opened, and after the cache has removed them.
    public var facts: MediaFacts?

    public init(item: PlayerState.Item, source: MediaSource, loaded: [TimeRange] = [], seekable: [TimeRange] = [], facts: MediaFacts? = nil) {
        self.item = item
        self.source = source
        self.loaded = loaded
        self.seekable = seekable
        self.facts = facts
    }
}

/// The metadata and chapters of a medium.
public struct MediaFacts: Sendable, Hashable {
    public var metadata: [MetadataEntry]
    public var chapters: [MediaChapter]
    public init(metadata: [MetadataEntry] = [], chapters: [MediaChapter] = []) { self.metadata = metadata; self.chapters = chapters }
}

/// The result of the inspection of a medium.
public struct AssetReport: Sendable, Hashable {
    public struct Track: Sendable, Hashable {
        public var id: Int
        public var codec: String
        public var sampleRate: Int
        public var channels: Int
        /// The bit rate of the medium, in bits per second; nil if the bit rate is unknown.
        public var bitRate: Int?
        public init(id: Int, codec: String, sampleRate: Int, channels: Int, bitRate: Int?) {
            self.id = id; self.codec = codec; self.sampleRate = sampleRate; self.channels = channels; self.bitRate = bitRate
        }
    }

    public var isPlayable: Bool
    /// The duration of the medium in seconds; nil if the duration is unknown, or if the medium has no end.
    public var duration: Double?
    public var isDurationExact: Bool
    public var tracks: [Track]
    /// The metadata of the medium whose key is common to all containers, without values that are not text.
    public var commonMetadata: [MetadataEntry]
    /// All metadata of the medium, with the keys of the container, without values that are not text.
    public var metadata: [MetadataEntry]

    public init(
        isPlayable: Bool = true, duration: Double? = nil, isDurationExact: Bool = false, tracks: [Track] = [], commonMetadata: [MetadataEntry] = [],
        metadata: [MetadataEntry] = []
    ) {
        self.isPlayable = isPlayable; self.duration = duration; self.isDurationExact = isDurationExact; self.tracks = tracks
        self.commonMetadata = commonMetadata; self.metadata = metadata
    }
}

/// The buffer of the current item, with AVFoundation's names.
public struct BufferState: Sendable, Hashable {
    public var itemID: String
    /// The available ranges of the item, in media time (R-BUF-01).
    public var loaded: [ItemDetails.TimeRange]
    /// The seekable ranges of the item, in media time (R-BUF-02).
    public var seekable: [ItemDetails.TimeRange]
    /// Whether all available audio of the item has been heard (R-BUF-03).
    public var isEmpty: Bool
    /// Whether the item's buffer has reached its capacity (R-BUF-04).
    public var isFull: Bool
    /// Whether playback is expected to continue without a stall (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(
        itemID: String, loaded: [ItemDetails.TimeRange] = [], seekable: [ItemDetails.TimeRange] = [], isEmpty: Bool = true, isFull: Bool = false,
        isLikelyToKeepUp: Bool = false
    ) {
        self.itemID = itemID
        self.loaded = loaded
        self.seekable = seekable
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
