public import PlaybackEngine

/// The result of the inspection of a medium.
public struct AssetReport: Sendable, Hashable {
    public struct Track: Sendable, Hashable {
        public var id: Int
        public var codec: String
        public var sampleRate: Int
        public var channels: Int
        /// Bits per second; nil if unknown.
        public var bitRate: Int?
        public init(id: Int, codec: String, sampleRate: Int, channels: Int, bitRate: Int?) {
            self.id = id; self.codec = codec; self.sampleRate = sampleRate; self.channels = channels; self.bitRate = bitRate
        }
    }

    public var isPlayable: Bool
    /// The duration in seconds; nil if it is unknown, or if the medium has no end.
    public var duration: Double?
    public var isDurationExact: Bool
    public var tracks: [Track]
    /// The metadata with a common key, text only.
    public var commonMetadata: [MetadataEntry]
    /// All metadata, with the keys of the container, text only.
    public var metadata: [MetadataEntry]

    public init(
        isPlayable: Bool = true, duration: Double? = nil, isDurationExact: Bool = false, tracks: [Track] = [], commonMetadata: [MetadataEntry] = [],
        metadata: [MetadataEntry] = []
    ) {
        self.isPlayable = isPlayable; self.duration = duration; self.isDurationExact = isDurationExact; self.tracks = tracks
        self.commonMetadata = commonMetadata; self.metadata = metadata
    }
}
