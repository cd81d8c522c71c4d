extension OutputChoice {
    /// Whether an open output fulfils this choice.
    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}
