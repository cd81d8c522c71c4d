/// The original recording without the encoder's samples, in ticks of the time base, if the container states it.
struct RecordingWindow: Equatable {
    /// The media time of position 0; negative if silence precedes the media.
    var origin: Int64
    /// Nil if the header does not state it.
    var end: Int64?
    /// With samples after the recording; nil if the header does not state it.
    var media: Int64?
}
