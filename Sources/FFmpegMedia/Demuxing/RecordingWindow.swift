/// The part of a stream that is the original recording, without the samples that an encoder added, in ticks of the stream's time base. It exists only
/// if the container states this part.
struct RecordingWindow: Equatable {
    /// The media time of the recording's first frame, which gets position 0 on the timeline; negative if silence precedes the media.
    var origin: Int64
    /// The media time at which the recording ends; nil if the container's header does not state it.
    var end: Int64?
    /// The media time at which the stream ends, including samples after the recording; nil if the container's header does not state it.
    var media: Int64?
}
