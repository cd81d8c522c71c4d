public import PlaybackEngine

/// What a medium says of itself besides its sound and its picture.
public struct MediaFacts: Sendable, Hashable {
    public var metadata: [MetadataEntry]
    public var chapters: [MediaChapter]
    public init(metadata: [MetadataEntry] = [], chapters: [MediaChapter] = []) { self.metadata = metadata; self.chapters = chapters }
}
