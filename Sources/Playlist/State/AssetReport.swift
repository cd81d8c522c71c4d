public import PlaybackEngine

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
