public import PlaybackEngine

/// All that is known of an item of the playlist.
public struct ItemDetails: Sendable, Hashable {
    /// A stretch of media time, seconds.
    public struct TimeSpan: Sendable, Hashable {
        public var start: Double
        public var end: Double
        public init(start: Double, end: Double) { self.start = start; self.end = end }
    }

    public var item: PlayerState.Item
    /// What is opened when it plays.
    public var source: MediaSource
    /// What is at hand, and where it can be sought: of an item that is open.
    public var loaded: [TimeSpan]
    public var seekable: [TimeSpan]
    /// What its medium says of itself; nil where it has not been opened yet.
    public var facts: MediaFacts?

    public init(item: PlayerState.Item, source: MediaSource, loaded: [TimeSpan] = [], seekable: [TimeSpan] = [], facts: MediaFacts? = nil) {
        self.item = item
        self.source = source
        self.loaded = loaded
        self.seekable = seekable
        self.facts = facts
    }
}

/// What a medium says of itself besides its sound and its picture.
public struct MediaFacts: Sendable, Hashable {
    public var metadata: [MetadataEntry]
    public var chapters: [MediaChapter]
    public init(metadata: [MetadataEntry] = [], chapters: [MediaChapter] = []) { self.metadata = metadata; self.chapters = chapters }
}

/// What a look into a medium tells, without playing it.
public struct AssetReport: Sendable, Hashable {
    public struct Track: Sendable, Hashable {
        public var id: Int
        public var codec: String
        public var sampleRate: Int
        public var channels: Int
        /// Bits a second, nil where unknown.
        public var bitRate: Int?
        public init(id: Int, codec: String, sampleRate: Int, channels: Int, bitRate: Int?) {
            self.id = id; self.codec = codec; self.sampleRate = sampleRate; self.channels = channels; self.bitRate = bitRate
        }
    }

    public var isPlayable: Bool
    /// Seconds, nil where it is unknown or has no end.
    public var duration: Double?
    public var isDurationExact: Bool
    public var tracks: [Track]
    /// What has a common key, and everything in the container's own words; texts only.
    public var commonMetadata: [MetadataEntry]
    public var metadata: [MetadataEntry]

    public init(
        isPlayable: Bool = true, duration: Double? = nil, isDurationExact: Bool = false, tracks: [Track] = [], commonMetadata: [MetadataEntry] = [],
        metadata: [MetadataEntry] = []
    ) {
        self.isPlayable = isPlayable; self.duration = duration; self.isDurationExact = isDurationExact; self.tracks = tracks
        self.commonMetadata = commonMetadata; self.metadata = metadata
    }
}
