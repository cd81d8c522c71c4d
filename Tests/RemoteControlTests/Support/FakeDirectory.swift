import PlaybackEngine
import Playlist
import Synchronization

/// A fake directory of outputs: those of a machine with one device.
final class FakeDirectory: OutputCatalog {
    private let chosen = Mutex("auto")
    func outputs() -> [OutputChoice] {
        [
            OutputChoice(id: "auto", kind: .auto, name: "Automatic"), OutputChoice(id: "pulse:dac", kind: .pulse, name: "DAC", device: "dac"),
            OutputChoice(id: "null", kind: .null, name: "Silence"),
        ]
    }
    var chosenID: String { chosen.withLock { $0 } }
    var chosenProviders: [any OutputProvider] { [NullOutputProvider()] }
    func providers(of choice: OutputChoice) -> [any OutputProvider] {
        choice.kind == .pulse ? [FileOutputProvider(path: "/dac")] : [NullOutputProvider()]
    }
    func didChoose(_ choice: OutputChoice) { chosen.withLock { $0 = choice.id } }
}
