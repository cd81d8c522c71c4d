extension PlayerState {
    /// The action at the end of an item.
    public enum ActionAtItemEnd: String, Sendable, Hashable, CaseIterable {
        case advance, pause, none
    }
}
