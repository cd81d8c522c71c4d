/// The part of a stream that is the recording, where the container says so, in the stream's time base.
struct RecordingWindow: Equatable {
    /// The media time that is 0 on the timeline; negative where the sound begins with nothing.
    var origin: Int64
    /// The media time where the sound ends, nil where the header does not say.
    var end: Int64?
    /// The media time where the media ends.
    var media: Int64?
}
