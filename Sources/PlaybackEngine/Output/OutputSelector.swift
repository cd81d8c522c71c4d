/// The list of outputs in order of preference, and the index of the open one. Owned by the engine's thread.
final class OutputSelector {
    private var providers: [any OutputProvider]
    /// The index of the output that was opened last, in the list at that time.
    private(set) var openIndex = 0

    init(_ providers: [any OutputProvider]) { self.providers = providers }

    /// The number of outputs.
    var count: Int { providers.count }

    /// Replaces the list.
    func replace(with providers: [any OutputProvider]) { self.providers = providers }

    /// Records which output is open.
    func noteOpened(_ index: Int) { openIndex = index }

    /// Makes a closed sink for the output at an index, with the present volume, mute and role.
    func makeSink(_ index: Int, _ settings: EngineSettings) -> any AudioSink {
        let sink = providers[index].makeSink()
        sink.setVolume(settings.volume, isMuted: settings.isMuted)
        sink.setRole(settings.role)
        return sink
    }
}
