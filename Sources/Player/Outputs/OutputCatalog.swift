public import PlaybackEngine

/// The outputs of this computer, which the program implements.
public protocol OutputCatalog: Sendable {
    /// May block for seconds.
    func outputs() -> [OutputChoice]
    /// Chosen last. Any thread.
    var chosenID: String { get }
    /// Of the output that was chosen last, in the order in which they are tried. Any thread.
    var chosenProviders: [any OutputProvider] { get }
    /// In the order in which they are tried. Any thread.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// Nil changes nothing. Whether the device has the requested values. May block for seconds.
    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool
    @MainActor func didChoose(_ choice: OutputChoice)
}
