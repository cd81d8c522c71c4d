/// The part of a stream that is the original recording, without the samples that an encoder added, in the stream's time base. A `RecordingWindow` is
/// made only if the container states which part of the stream is the recording.
struct RecordingWindow: Equatable {
    /// The media time of the recording's first frame, which has position 0 on the timeline; negative if the audio begins with silence.
    var origin: Int64
    /// The media time at which the recording ends; nil if the container's header does not state it.
    var end: Int64?
    /// The media time at which the stream's media ends, including samples after the recording; nil if the container's header does not state it.
    var media: Int64?
}
