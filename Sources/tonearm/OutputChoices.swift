import PlaybackEngine
import Playlist
import PulseOutput
import Synchronization

/// The outputs that a remote can choose from: the sound server's devices, silence, and the file of the command line.
final class OutputChoices: OutputDirectory {
    /// Seconds that the sound server may take to list its devices.
    private static let patience = 2.0

    /// Of the file output, absolute.
    let file: String?
    private let sinks: @Sendable () -> [PulseServer.Sink]
    private let chosen: Mutex<OutputChoice>
    private let watch = Mutex<(@MainActor @Sendable (Options.Output) -> Void)?>(nil)

    /// - Parameter file: the absolute path of a file output.
    init(
        _ initial: Options.Output, file: String? = nil,
        sinks: @escaping @Sendable () -> [PulseServer.Sink] = { PulseServer.sinks(timeout: OutputChoices.patience) }
    ) {
        self.file = file
        self.sinks = sinks
        chosen = Mutex(Self.choice(of: initial))
    }

    /// What is told of each choice, from here on.
    func onChange(_ body: @escaping @MainActor @Sendable (Options.Output) -> Void) { watch.withLock { $0 = body } }

    func outputs() -> [OutputChoice] {
        let devices = sinks().map { OutputChoice(id: "pulse:" + $0.name, kind: .pulse, name: $0.description, device: $0.name) }
        var choices = [Self.choice(of: .auto)]
        // One that was chosen stays on the list, also where its server does not answer now.
        if !devices.isEmpty || chosenID == "pulse" { choices.append(Self.choice(of: .pulse)) }
        choices += devices
        choices.append(Self.choice(of: .null))
        if let file { choices.append(Self.choice(of: .file(path: file))) }
        return choices
    }

    var chosenID: String { chosen.withLock { $0.id } }
    var chosenProviders: [any OutputProvider] { providers(of: chosen.withLock { $0 }) }

    func providers(of choice: OutputChoice) -> [any OutputProvider] {
        switch choice.kind {
        case .auto: [PulseOutputProvider(), NullOutputProvider()]
        case .pulse: [PulseOutputProvider(sinkName: choice.device)]
        case .file: file.map { [FileOutputProvider(path: $0)] } ?? []
        default: [NullOutputProvider()]
        }
    }

    @MainActor func didChoose(_ choice: OutputChoice) {
        chosen.withLock { $0 = choice }
        let body = watch.withLock { $0 }
        switch choice.kind {
        case .auto: body?(.auto)
        case .pulse: body?(.pulse)
        case .file: body?(.file(path: file ?? ""))
        default: body?(.null)
        }
    }

    private static func choice(of output: Options.Output) -> OutputChoice {
        switch output {
        case .auto: OutputChoice(id: "auto", kind: .auto, name: "Automatic")
        case .pulse: OutputChoice(id: "pulse", kind: .pulse, name: "The sound server's default")
        case .null: OutputChoice(id: "null", kind: .null, name: "Silence")
        case .file(let path): OutputChoice(id: "file", kind: .file, name: "File", device: path)
        }
    }
}
