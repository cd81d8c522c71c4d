import AVFoundation
import PlaybackEngine
import Player
import Synchronization

/// The outputs that clients can choose, and the present choice.
final class OutputChoices: OutputCatalog {
    /// The automatic choice: the first sound server or device that is present.
    private static let automatic = OutputChoice(id: OutputKind.auto.rawValue, kind: .auto, name: "Automatic")

    /// All drivers; that of the file is the last.
    let drivers: [OutputDriver]
    /// The absolute path of the output on the command line; nil if it writes to no file.
    private let file: String?
    private let volumeLimit: Double
    private let choice: Mutex<OutputChoice>
    private let observers = Mutex<[@MainActor @Sendable () -> Void]>([])

    /// - Parameters:
    ///   - initial: The output of the command line.
    ///   - file: The absolute path of the file of `initial`; nil if `initial` does not write to a file.
    ///   - dither: The dither of samples that a file of 16 bits cannot represent.
    ///   - volumeLimit: The greatest volume of a device that clients may set.
    ///   - drivers: The drivers that need no file, in the order of the automatic choice.
    init(
        _ initial: Options.Output, file: String? = nil, dither: Dither = .tpdf, volumeLimit: Double = DeviceVolume.maximum,
        drivers: [OutputDriver] = PlaybackEnvironment.outputDrivers
    ) {
        self.file = file
        self.volumeLimit = volumeLimit
        self.drivers = drivers + (file.map { [.file(path: $0, dither: dither)] } ?? [])
        choice = Mutex(self.drivers.first { $0.kind == initial.kind }?.choice ?? Self.automatic)
    }

    /// The present choice. Any thread may read it.
    var chosen: OutputChoice { choice.withLock { $0 } }

    /// The present choice in the form of the command line. Any thread may read it.
    var chosenWord: String {
        let choice = chosen
        return choice.kind == .file ? "file:" + (file ?? "") : choice.id
    }

    /// Adds a function that is called after each later choice.
    func onChange(_ body: @escaping @MainActor @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    /// Restores a choice of an earlier run; ignored if this run does not have the output.
    func restore(_ choice: OutputChoice) { if choice.kind == .auto || driver(of: choice) != nil { self.choice.withLock { $0 = choice } } }

    private func driver(of choice: OutputChoice) -> OutputDriver? { drivers.first { $0.kind == choice.kind } }

    // MARK: OutputCatalog

    func outputs() -> [OutputChoice] {
        let chosenID = chosenID
        return [Self.automatic]
            + drivers.flatMap { driver -> [OutputChoice] in
                guard let list = driver.devices else { return [driver.choice] }
                let devices = list()
                // The chosen driver is listed even if its server does not respond now.
                let isListed = !devices.isEmpty || chosenID == driver.id
                return (isListed ? [driver.choice] : []) + devices.map { driver.choice(of: $0) }
            }
    }

    var chosenID: String { chosen.id }
    var chosenWish: OutputWish { chosen.wish }

    func setVolume(of choice: OutputChoice, volume: Double?, isMuted: Bool?) -> Bool {
        guard let device = choice.device, let set = driver(of: choice)?.setVolume else { return false }
        return set(device, volume.map { min($0, volumeLimit) }, isMuted)
    }

    @MainActor func didChoose(_ choice: OutputChoice) {
        self.choice.withLock { $0 = choice }
        for body in observers.withLock({ $0 }) { body() }
    }
}

extension OutputDriver {
    fileprivate var kind: OutputKind { OutputKind(rawValue: id) }

    fileprivate var choice: OutputChoice { OutputChoice(id: id, kind: kind, name: name) }

    fileprivate func choice(of device: Device) -> OutputChoice {
        OutputChoice(id: id + ":" + device.id, kind: kind, name: device.name, device: device.id, volume: device.volume)
    }
}
