public import PlaybackEngine

/// The outputs of this computer. The program `tonearm` implements `OutputCatalog`.
public protocol OutputCatalog: Sendable {
    /// Returns all outputs that can be chosen now. The call may block for seconds.
    func outputs() -> [OutputChoice]
    /// The id of the output that was chosen last. Any thread may read `chosenID`.
    var chosenID: String { get }
    /// The providers of the output that was chosen last, in the order in which they are tried. Any thread may read `chosenProviders`.
    var chosenProviders: [any OutputProvider] { get }
    /// Returns the output providers of a chosen output, in the order in which they are tried. Any thread may call `providers`.
    func providers(of choice: OutputChoice) -> [any OutputProvider]
    /// Changes the volume and the mute of an output's device. A nil `volume` or `isMuted` means no change. Returns whether the device has the
    /// requested values. The call may block for seconds.
    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool
    /// Records the output to which the player has moved.
    @MainActor func didChoose(_ choice: OutputChoice)
}
