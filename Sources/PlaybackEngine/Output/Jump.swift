/// How audio begins that does not follow the audio before it.
enum Jump {
    /// At the start of an item: untouched, from its first frame.
    case atStart
    /// Inside an item: with a lead-in.
    case inside
}
