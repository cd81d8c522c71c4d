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
