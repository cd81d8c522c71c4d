import AVFoundation
import PlaybackEngine
import Playlist
import Synchronization

/// The audio outputs that clients can choose from, and the present choice.
final class OutputChoices: OutputCatalog {
    /// The automatic choice of the output, which is the first output that can be opened.
    private static let automatic = OutputChoice(id: OutputKind.auto.rawValue, kind: .auto, name: "Automatic")

    private let drivers: [OutputDriver]
    /// The absolute path of the file to which the audio output named on the command line writes; nil if that output writes to no file.
    private let file: String?
    /// The number of output drivers that the automatic choice tries. It does not try the driver of the file output, which is the last one.
    private let automaticCount: Int
    private let choice: Mutex<OutputChoice>
    private let observers = Mutex<[@MainActor @Sendable () -> Void]>([])

    /// Creates the audio outputs to choose from.
    ///
    /// - Parameters:
    ///   - initial: The audio output that the command line names.
    ///   - file: The absolute path of the file to which `initial` writes; nil if it does not write to a file.
    ///   - dither: The noise that is added to samples that a WAV file of 16 bits cannot represent.
    ///   - drivers: The drivers of the outputs that need no file, in the order in which the automatic choice tries them.
    init(_ initial: Options.Output, file: String? = nil, dither: Dither = .tpdf, drivers: [OutputDriver] = PlaybackEnvironment.outputDrivers) {
        self.file = file
        self.drivers = drivers + (file.map { [.file(path: $0, dither: dither)] } ?? [])
        automaticCount = drivers.count
        choice = Mutex(self.drivers.first { $0.kind == initial.kind }?.choice ?? Self.automatic)
    }

    /// The audio output that was chosen last. Any thread may read it.
    var chosen: OutputChoice { choice.withLock { $0 } }

    /// The word of the command line for the audio output that was chosen last. Any thread may read it.
    var chosenWord: String {
        let kind = chosen.kind
        return kind == .file ? "file:" + (file ?? "") : kind.rawValue
    }

    /// Adds a function that is called after each later choice.
    func onChange(_ body: @escaping @MainActor @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    /// Restores a choice that an earlier run of the program has saved. A choice of an output that this run does not have is ignored.
    func restore(_ choice: OutputChoice) { if choice.kind == .auto || driver(of: choice) != nil { self.choice.withLock { $0 = choice } } }

    // MARK: Servers

    /// Whether the chosen audio output needs a sound server.
    var needsServer: Bool { driver(of: chosen)?.connect != nil }

    /// Connects to the sound server of the chosen output, or, for the automatic choice, to the first sound server that responds. Returns the
    /// connection to the sound server; nil if no server responds. Any thread may call `connect`, which blocks.
    func connect(timeout: Double, onLoss: @escaping @Sendable () -> Void) -> (any Sendable)? {
        let choice = chosen
        let candidates = choice.kind == .auto ? Array(drivers.prefix(automaticCount)) : drivers.filter { $0.kind == choice.kind }
        for driver in candidates {
            if let connection = driver.connect?(timeout, onLoss) { return connection }
        }
        return nil
    }

    private func driver(of choice: OutputChoice) -> OutputDriver? { drivers.first { $0.kind == choice.kind } }

    // MARK: OutputCatalog

    func outputs() -> [OutputChoice] {
        let chosenID = chosenID
        return [Self.automatic]
            + drivers.flatMap { driver -> [OutputChoice] in
                guard let list = driver.devices else { return [driver.choice] }
                let devices = list()
                // Keep the chosen output in the list even if its sound server does not respond now.
                let isListed = !devices.isEmpty || chosenID == driver.id
                return (isListed ? [driver.choice] : []) + devices.map { driver.choice(of: $0) }
            }
    }

    var chosenID: String { chosen.id }
    var chosenProviders: [any OutputProvider] { providers(of: chosen) }

    func providers(of choice: OutputChoice) -> [any OutputProvider] {
        guard let driver = driver(of: choice) else { return drivers.prefix(automaticCount).map { $0.provider(nil) } }
        return [driver.provider(choice.device)]
    }

    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool {
        guard let device = choice.device, let set = driver(of: choice)?.setVolume else { return false }
        return set(device, volume, isMuted)
    }

    @MainActor func didChoose(_ choice: OutputChoice) {
        self.choice.withLock { $0 = choice }
        for body in observers.withLock({ $0 }) { body() }
    }
}

extension OutputDriver {
    fileprivate var kind: OutputKind { OutputKind(rawValue: id) }

    /// The choice of the output driver's default device.
    fileprivate var choice: OutputChoice { OutputChoice(id: id, kind: kind, name: name) }

    fileprivate func choice(of device: Device) -> OutputChoice {
        OutputChoice(id: id + ":" + device.id, kind: kind, name: device.name, device: device.id, volume: device.volume)
    }
}
