/// The list of outputs in order of preference, and the index of the open output. The engine's thread owns the list.
final class OutputList {
    private var providers: [any OutputProvider]
    /// The index of the output that was opened last, in the list of outputs at the time of the opening.
    private(set) var openIndex = 0
    /// The limit of changes of the device's sample rate that playback follows.
    let rateChanges = RateChanges()
    /// The sample rates that the present device has not taken.
    let refusedRates = RefusedRates()

    init(_ providers: [any OutputProvider]) { self.providers = providers }

    /// The number of outputs in the list.
    var count: Int { providers.count }

    /// Replaces the list of outputs.
    func replace(with providers: [any OutputProvider]) { self.providers = providers }

    /// Records the index of the output that was opened.
    func noteOpened(_ index: Int) { openIndex = index }

    /// Makes a closed sink for the output at an index of the list, with the present volume, mute and role.
    func makeSink(_ index: Int, _ settings: EngineSettings) -> any AudioSink {
        let sink = providers[index].makeSink()
        sink.setVolume(settings.volume, isMuted: settings.isMuted)
        sink.setRole(settings.role)
        sink.setKeepsRate(settings.outputRates.rate(of: sink.description.id) == .device)
        return sink
    }
}
