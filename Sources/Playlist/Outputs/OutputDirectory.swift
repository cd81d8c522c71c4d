public import PlaybackEngine

/// The outputs of this machine. The program implements it.
public protocol OutputDirectory: Sendable {
    /// Returns all outputs that can be chosen now. May block for seconds.
    func outputs() -> [OutputChoice]
    /// The id of the output that was chosen last. Any thread.
    var chosenID: String { get }
    /// The providers of the output that was chosen last, in the order in which they are tried. Any thread.
    var chosenProviders: [any OutputProvider] { get }
    /// Returns the providers of an output, in the order in which they are tried. Any thread.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// Records that the player has moved to an output.
    @MainActor func didChoose(_ choice: OutputChoice)
}
