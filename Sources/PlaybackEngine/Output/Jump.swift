/// The beginning of audio that does not continue the preceding audio.
enum Jump {
    /// At the start of an item: unchanged from the first frame on.
    case atStart
    /// Inside an item: with a lead-in.
    case inside
}
