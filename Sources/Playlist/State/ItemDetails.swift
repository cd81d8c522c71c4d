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
