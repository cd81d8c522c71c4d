import CALSA
import Glibc
import Platform
public import PlaybackEngine

/// Outputs that play on a device of ALSA.
public struct ALSAOutputProvider: OutputProvider {
    /// The device, as `aplay -L` prints it.
    public var device: String

    /// - Parameter device: nil for the device `default`, which the user's configuration of ALSA names.
    public init(device: String? = nil) { self.device = device ?? "default" }

    public func makeSink() -> any AudioSink {
        ALSASink(device: device, name: ALSADevices.all().first { $0.id == device }?.name ?? device, clock: MonotonicClock())
    }
}

extension OutputDriver {
    /// The devices of this machine, without a sound server.
    public static let alsa = OutputDriver(
        id: "alsa", name: "Default device of ALSA", isAutomatic: true, devices: { ALSADevices.all() }, watch: { ALSAPresence(report: $0) },
        provider: { ALSAOutputProvider(device: $0) })
}

enum ALSADevices {
    /// The hardware devices for playback, by their stable names (`hw:CARD=…,DEV=…`).
    static func all() -> [OutputDriver.Device] {
        CALSA_silence()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var devices: [OutputDriver.Device] = []
        var hint = hints
        while let pointer = hint.pointee {
            hint += 1
            guard let id = text("NAME", of: pointer), id.hasPrefix("hw:"), text("IOID", of: pointer) != "Input" else { continue }
            let name = text("DESC", of: pointer)?.split(separator: "\n").first.map(String.init) ?? id
            devices.append(OutputDriver.Device(id: id, name: name))
        }
        return devices
    }

    private static func text(_ name: String, of hint: UnsafeMutableRawPointer) -> String? {
        guard let text = snd_device_name_get_hint(hint, name) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

/// Watches the devices of this machine, until it is released: by inotify on the folder of their files.
final class ALSAPresence: Sendable {
    private static let folder = "/dev/snd"
    private let signs = EntryWatch(folder: ALSAPresence.folder)

    init(report: @escaping @Sendable (OutputPresence) -> Void) {
        // Without a thread, the devices count as never seen.
        _ = try? WorkerThread(starting: "alsa devices") { [signs] in
            repeat {
                signs.arm()
                let devices = Set(ALSADevices.all().map(\.id))
                // Each sign is reported, because a device that is listed gets its permissions later.
                report(devices.isEmpty ? .absent : .present(devices: devices))
            } while signs.wait(atMost: nil) == .changed
        }
    }

    deinit { signs.stop() }
}
