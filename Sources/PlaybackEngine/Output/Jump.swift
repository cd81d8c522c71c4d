/// A jump: new audio that does not continue the preceding audio. Whether the new audio needs a lead-in depends on its position in the item.
enum Jump {
    /// The new audio begins at the start of an item, and is unchanged from the first frame on.
    case atStart
    /// The new audio begins inside an item. A lead-in (a fade-in of 5 ms) precedes the new audio (`OutputStage`).
    case inside
}
