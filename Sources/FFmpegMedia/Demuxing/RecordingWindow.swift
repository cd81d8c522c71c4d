/// The part of a stream that is the recording, if the container states it, in the stream's time base.
struct RecordingWindow: Equatable {
    /// The media time of position 0 on the timeline; negative if the audio begins with silence.
    var origin: Int64
    /// The media time at which the audio ends; nil if the header does not state it.
    var end: Int64?
    /// The media time at which the media ends; nil if the header does not state it.
    var media: Int64?
}
