import Foundation
import PlaybackTesting

/// PipeWire with WirePlumber and its pulse server, without hardware and in the default configuration. Its devices are pipes, each of which is recorded
/// in 32 bits and has two channels.
final class PipeWireServer {
    private let folder: MediaFolder
    private var processes: [pid_t] = []
    private(set) var recordings: [String: PulseRecording] = [:]

    /// - Parameter devices: The sample rates of the devices, by the names of the devices.
    init(_ devices: KeyValuePairs<String, Int>) throws {
        folder = try MediaFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        // WirePlumber ends without a bus.
        try launch("dbus-daemon", ["--session", "--nofork", "--address=unix:path=\(folder.file("bus"))"])
        try awaitFile("bus")
        try launch("pipewire")
        try awaitFile("pipewire-0")
        try launch("wireplumber")
        try launch("pipewire-pulse")
        // WirePlumber makes this device when it is ready, because there is no other.
        try eventually("WirePlumber has started", within: 30) { try control("get-default-sink").contains("auto_null") ? true : nil }
        for (name, rate) in devices {
            let pipe = folder.file("\(name).pipe")
            try control("load-module", "module-pipe-sink", "sink_name=\(name)", "file=\(pipe)", "rate=\(rate)", "format=s32le", "channels=2")
            try awaitFile("\(name).pipe")
            recordings[name] = try PulseRecording(fifo: pipe, sampleRate: rate, channelCount: 2, bytesPerSample: 4)
        }
    }

    deinit {
        // WirePlumber and the pulse server are clients of PipeWire, so they end before it.
        // The programs inherit the blocked signals of the test's thread, so that SIGTERM may not end them.
        for process in processes.reversed() { ChildProcess.end(process, with: SIGKILL) }
    }

    /// The variables with which a client uses this server, and none of the user's.
    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "XDG_CONFIG_HOME": folder.file("config"), "XDG_STATE_HOME": folder.file("state"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("bus"))", "PULSE_SERVER": "unix:\(folder.file("pulse/native"))", "LC_ALL": "C",
        ]
    }

    /// Runs `pactl`, and returns what it prints, or an empty text if it fails.
    @discardableResult func control(_ arguments: String...) throws -> String {
        (try? run("pactl", arguments, environment: environment)) ?? ""
    }

    private func launch(_ name: String, _ arguments: [String] = []) throws {
        processes.append(try ChildProcess.spawn([name] + arguments, environment: environment.map { "\($0)=\($1)" }))
    }

    private func awaitFile(_ name: String) throws {
        try eventually("\(name) exists", within: 30) { FileManager.default.fileExists(atPath: folder.file(name)) ? true : nil }
    }
}
