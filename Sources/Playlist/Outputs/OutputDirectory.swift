public import PlaybackEngine

/// The outputs of this machine. The program has the real one.
public protocol OutputDirectory: Sendable {
    /// Every output that can be chosen now. May block, for seconds.
    func outputs() -> [OutputChoice]
    /// The id of the one that was chosen last. Any thread.
    var chosenID: String { get }
    /// What is to be tried, in order, for the one that was chosen last. Any thread.
    var chosenProviders: [any OutputProvider] { get }
    /// What is to be tried, in order, for an output. Any thread.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// The player plays there now.
    @MainActor func didChoose(_ choice: OutputChoice)
}
