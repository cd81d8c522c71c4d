public import PlaybackEngine

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
