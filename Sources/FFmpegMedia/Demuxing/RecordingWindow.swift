/// The part of a stream that is the recording, in the stream's time base. Made only if the container states it.
struct RecordingWindow: Equatable {
    /// The media time of position 0 on the timeline; negative if the audio begins with silence.
    var origin: Int64
    /// The media time at which the recording ends; nil if the header does not state it.
    var end: Int64?
    /// The media time at which all media of the stream ends, including samples after the recording; nil if the header does not state it.
    var media: Int64?
}
