public import PlaybackEngine

/// The metadata and chapters of a medium.
public struct MediaFacts: Sendable, Hashable {
    public var metadata: [MetadataEntry]
    public var chapters: [MediaChapter]
    public init(metadata: [MetadataEntry] = [], chapters: [MediaChapter] = []) { self.metadata = metadata; self.chapters = chapters }
}
