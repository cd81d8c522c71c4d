extension OutputChoice {
    /// Returns whether an open output fulfils the client's choice.
    public func matches(_ output: PlayerState.Output) -> Bool {
        kind == .auto || (output.kind == kind && (device == nil || output.id == device))
    }
}
