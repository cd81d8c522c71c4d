import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// A PulseAudio server for one test: without hardware, without other programs' streams, and without the user's configuration.
///
/// `stop` ends it. A server that a crashed test leaves behind ends by itself.
public final class PrivatePulseServer: Sendable {
    /// The device that the server plays on.
    public enum Device: Sendable {
        /// A pipe that receives exactly what a device would get, and is recorded. 16-bit samples, interleaved.
        case pipe(rate: Int, channels: Int)
        /// A null sink whose blocks are as long as its clients request.
        case null(rate: Int, channels: Int)
        /// A null sink that mixes as far ahead as its clients allow. It can be rewound like hardware, or cannot, like wireless headphones. The audio
        /// that would have been heard is recorded. 16-bit samples, interleaved.
        case deep(rate: Int, channels: Int, takesBack: Bool = true)
        /// No device: the server creates its `auto_null`.
        case none
    }

    /// The error if a server could not be started.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The name of the sink.
    public static let sinkName = "probe"

    /// The address of the socket, in the form of PULSE_SERVER.
    public let address: String
    /// A directory for this server, and for other files of the test.
    public let directory: String
    /// The recording of a pipe or a deep device.
    public let recording: PulseRecording?
    private let process: pid_t
    private let isStopped = Mutex(false)
    private let listeners = Mutex<[pid_t]>([])

    /// Starts a server and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - modules: additional modules with their arguments, loaded first.
    ///   - settings: lines of `daemon.conf`; the machine's own is not read.
    public init(_ device: Device = .pipe(rate: 44_100, channels: 2), modules: [String] = [], settings: [String] = ["flat-volumes = no"]) throws {
        var template = Array("/tmp/tonearm-pulse-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no directory could be created") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let socket = "\(directory)/native"
        let fifo = "\(directory)/fifo"
        // The protocol module is loaded last, so that a server that accepts connections has all its devices.
        var loads = modules
        var lines = settings
        switch device {
        case .pipe(let rate, let channels):
            loads.append(
                "module-pipe-sink sink_name=\(Self.sinkName) file=\(fifo) rate=\(rate) format=s16le channels=\(channels)"
                    + " use_system_clock_for_timing=yes"
            )
        case .null(let rate, let channels):
            loads.append("module-null-sink sink_name=\(Self.sinkName) rate=\(rate) format=s16le channels=\(channels)")
        case .deep(let rate, let channels, let takesBack):
            // The recording is one second later than the device, so that withdrawn audio is not recorded. It runs at the same rate, and the samples
            // are copied unchanged.
            lines.append("resample-method = trivial")
            loads += [
                "module-null-sink sink_name=\(Self.sinkName) rate=\(rate) format=s16le channels=\(channels) norewinds=\(takesBack ? 0 : 1)",
                "module-pipe-sink sink_name=tape file=\(fifo) rate=\(rate) format=s16le channels=\(channels) use_system_clock_for_timing=yes",
                "module-loopback source=\(Self.sinkName).monitor sink=tape latency_msec=1000 adjust_time=0",
            ]
        case .none:
            loads.append("module-always-sink")
        }
        loads.append("module-native-protocol-unix socket=\(socket) auth-anonymous=1")
        var arguments = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=120", "--use-pid-file=false", "--log-level=error"]
        for load in loads { arguments += ["-L", load] }
        self.directory = directory
        address = "unix:\(socket)"
        let configuration = "\(directory)/daemon.conf"
        guard let file = fopen(configuration, "w") else { throw Failure(description: "no file could be created") }
        fputs(lines.joined(separator: "\n") + "\n", file)
        fclose(file)
        let environment = ["PULSE_CONFIG=\(configuration)", "XDG_RUNTIME_DIR=\(directory)", "PULSE_RUNTIME_PATH=\(directory)", "HOME=\(directory)"]
        process = try ChildProcess.spawn(arguments, environment: environment)
        let child = process
        guard Self.wait(seconds: 20, for: { Self.canConnect(to: socket) || ChildProcess.hasEnded(child) }), !ChildProcess.hasEnded(child) else {
            ChildProcess.end(child, with: SIGKILL)
            throw Failure(description: "pulseaudio does not start")
        }
        switch device {
        case .pipe(_, let channels), .deep(_, let channels, _): recording = try PulseRecording(fifo: fifo, channelCount: channels)
        default: recording = nil
        }
    }

    deinit { stop() }

    /// The environment variables of a client of this server.
    public var environment: [String] { ["PULSE_SERVER=\(address)", "XDG_RUNTIME_DIR=\(directory)", "HOME=\(directory)"] }

    /// Runs `pactl` with `arguments` against this server.
    public func control(_ arguments: String...) throws {
        let status = try ChildProcess.run(["pactl"] + arguments, environment: environment)
        guard status == 0 else { throw Failure(description: "pactl \(arguments.joined(separator: " ")) ended with \(status)") }
    }

    /// Returns whether `pactl list` of `objects` (`sink-inputs`, `sinks`, …) contains a text.
    public func lists(_ text: String, among objects: String) throws -> Bool {
        let script = "pactl list \"$1\" | grep -qF -- \"$2\""
        return try ChildProcess.run(["sh", "-c", script, "sh", objects, text], environment: environment) == 0
    }

    /// Adds a client that records the audio and requests a short latency of the device, like a recorder or a game.
    public func addListener(milliseconds: Int) throws {
        let listener = try ChildProcess.spawn(
            ["parec", "--device=\(Self.sinkName).monitor", "--latency-msec=\(milliseconds)", "--raw", "/dev/null"], environment: environment)
        listeners.withLock { $0.append(listener) }
    }

    /// Kills the server, as if it had crashed.
    public func crash() { Glibc.kill(process, SIGKILL) }
    /// Suspends the server: it does not reply until `thaw`.
    public func freeze() { Glibc.kill(process, SIGSTOP) }
    public func thaw() { Glibc.kill(process, SIGCONT) }

    /// Ends the server and the recording, and removes its files. Idempotent.
    public func stop() {
        let mustStop = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard mustStop else { return }
        thaw()
        // SIGKILL, because they may have inherited a signal mask that blocks other signals.
        for listener in listeners.withLock({ $0 }) { ChildProcess.end(listener, with: SIGKILL) }
        ChildProcess.end(process, with: SIGTERM)
        recording?.finish()
        _ = try? ChildProcess.run(["rm", "-rf", directory], environment: [])
    }

    /// Waits for a condition outside this process. It is checked every 3 ms.
    ///
    /// - Returns: whether the condition was met in time.
    public static func wait(seconds: Double, for condition: () -> Bool) -> Bool {
        let clock = MonotonicClock()
        let never = WakeSignal()
        let deadline = clock.now + seconds
        while !condition() {
            if clock.now >= deadline { return false }
            _ = never.wait(until: clock.now + 0.003)
        }
        return true
    }

    private static func canConnect(to path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 }
        }
    }
}
