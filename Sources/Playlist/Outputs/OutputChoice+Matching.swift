extension OutputChoice {
    /// Returns whether an open output is one that this choice means.
    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}
