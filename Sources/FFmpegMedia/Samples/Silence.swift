/// The silence that replaces audio that is missing or could not be decoded.
struct Silence {
    /// The position up to which silence must be delivered.
    private(set) var end: Int64 = .min
    /// The last position up to which there is audio, or silence in place of damaged audio.
    private(set) var knownEnd: Int64 = .min

    /// Records that there is audio up to `position`.
    mutating func note(audioUpTo position: Int64) { knownEnd = max(knownEnd, position) }

    /// Replaces a damaged packet that ends at `packetEnd` by silence, in a medium that ends at `limit`; nil means that the medium's end is unknown.
    mutating func replace(packetEnd: Int64, limit: Int64?) {
        knownEnd = max(knownEnd, packetEnd)
        end = max(end, min(packetEnd, limit ?? packetEnd))
    }

    /// Makes silence last up to the next frame, which is at `position`.
    mutating func fill(upTo position: Int64) { end = position }

    /// Makes silence last up to the known end of a medium of which no more can be decoded. After another seek more audio of a damaged medium may be
    /// decoded; because of the silence, the length of the medium stays the same.
    mutating func fillEnd(from position: Int64, limit: Int64?) {
        if knownEnd > position { end = max(end, min(knownEnd, limit ?? knownEnd)) }
    }

    /// Delivers no more silence, after a seek.
    mutating func stop() { end = .min }
}
