/// The silence that replaces audio that is missing or could not be decoded.
struct Silence {
    /// The position up to which silence is delivered.
    private(set) var end: Int64 = .min
    /// The furthest position that is known to hold audio, or silence in place of damaged audio.
    private(set) var knownEnd: Int64 = .min

    /// Notes that there is audio up to `position`.
    mutating func note(audioUpTo position: Int64) { knownEnd = max(knownEnd, position) }

    /// Replaces a damaged packet that ends at `packetEnd`, in a medium that ends at `limit`.
    mutating func replace(packetEnd: Int64, limit: Int64?) {
        knownEnd = max(knownEnd, packetEnd)
        end = max(end, min(packetEnd, limit ?? packetEnd))
    }

    /// Fills the time up to a frame at `position`.
    mutating func fill(upTo position: Int64) { end = position }

    /// Fills the end of a medium of which no more can be decoded, up to the known end. A damaged medium may end earlier than after another seek; so
    /// its length stays the same.
    mutating func fillEnd(from position: Int64, limit: Int64?) {
        if knownEnd > position { end = max(end, min(knownEnd, limit ?? knownEnd)) }
    }

    /// Delivers no more silence, after a jump.
    mutating func stop() { end = .min }
}
