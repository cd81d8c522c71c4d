import PlaybackEngine
import Player
import Synchronization

/// A fake directory of outputs: those of a machine with one device.
final class FakeDirectory: OutputCatalog {
    private let chosen = Mutex("auto")
    private let volume = Mutex(DeviceVolume(volume: 0.5, isMuted: false))
    private let isBroken = Mutex(false)
    private let changeCount = Mutex(0)
    var volumeChangeCount: Int { changeCount.withLock { $0 } }
    /// Makes each later change of a volume fail.
    func breakVolumes() { isBroken.withLock { $0 = true } }
    func outputs() -> [OutputChoice] {
        [
            OutputChoice(id: "auto", kind: .auto, name: "Automatic"),
            OutputChoice(id: "pulse:alsa_output.usb-dac", kind: .pulse, name: "DAC", device: "dac", volume: volume.withLock { $0 }),
            OutputChoice(id: "null", kind: .null, name: "Silence"),
        ]
    }
    var chosenID: String { chosen.withLock { $0 } }
    var chosenWish: OutputWish { outputs().first { $0.id == chosenID }?.wish ?? .automatic }
    func setVolume(of choice: OutputChoice, volume new: Double?, isMuted: Bool?) -> Bool {
        guard !isBroken.withLock({ $0 }) else { return false }
        changeCount.withLock { $0 += 1 }
        volume.withLock { $0 = DeviceVolume(volume: new ?? $0.volume, isMuted: isMuted ?? $0.isMuted) }
        return true
    }
    func didChoose(_ choice: OutputChoice) { chosen.withLock { $0 = choice.id } }
}
