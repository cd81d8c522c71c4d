/// The silence that replaces audio of a stream that is missing or could not be decoded.
struct Silence {
    /// The position in the stream up to which silence must be delivered.
    private(set) var end: Int64 = .min
    /// The last position in the stream up to which there is audio, or silence in place of damaged audio.
    private(set) var knownEnd: Int64 = .min

    /// Records that the stream has audio up to `position`.
    mutating func note(audioUpTo position: Int64) { knownEnd = max(knownEnd, position) }

    /// Replaces the audio of a damaged packet by silence. `packetEnd` is the end of the packet; `limit` is the end of the medium, nil if it is
    /// unknown.
    mutating func replace(packetEnd: Int64, limit: Int64?) {
        knownEnd = max(knownEnd, packetEnd)
        end = max(end, min(packetEnd, limit ?? packetEnd))
    }

    /// Makes the silence in place of missing audio last up to the next decoded frame, which is at `position`.
    mutating func fill(upTo position: Int64) { end = position }

    /// Lets the silence last from `position` to `knownEnd`, at most to `limit`: the stated end of the medium, nil if it is unknown. So the medium
    /// always has the same length, even if more of its audio can be decoded after another seek.
    mutating func fillEnd(from position: Int64, limit: Int64?) {
        if knownEnd > position { end = max(end, min(knownEnd, limit ?? knownEnd)) }
    }

    /// Ends the silence in place of damaged audio, after a seek.
    mutating func stop() { end = .min }
}
