public import PlaybackEngine

/// The outputs of this computer. The program (`tonearm`) implements the protocol.
public protocol OutputDirectory: Sendable {
    /// Returns all outputs that can be chosen now. May block for seconds.
    func outputs() -> [OutputChoice]
    /// The id of the output that was chosen last. May be called on any thread.
    var chosenID: String { get }
    /// The providers of the output that was chosen last, in the order in which they are tried. May be called on any thread.
    var chosenProviders: [any OutputProvider] { get }
    /// Returns the providers of an output, in the order in which they are tried. May be called on any thread.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// Records that the player has moved to an output.
    @MainActor func didChoose(_ choice: OutputChoice)
}
