import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// A PulseAudio server for one test. The server of a test uses no hardware, has no streams of other programs, and does not read the user's
/// configuration.
///
/// The function `stop` ends the server. If a test crashes, its PulseAudio server ends by itself.
public final class PrivatePulseServer: Sendable {
    /// The device on which the server plays.
    public enum Device: Sendable {
        /// A pipe that receives exactly the samples that a device would receive. The received samples are recorded as interleaved samples of 16 bits,
        /// or of 32 bits if `isWide` is true.
        case pipe(rate: Int, channels: Int, isWide: Bool = false)
        /// A null sink whose blocks of audio are as long as the server's clients request.
        case null(rate: Int, channels: Int)
        /// A null sink that mixes as far ahead as the server's clients permit. If `takesBack` is true, the null sink can be rewound like hardware;
        /// otherwise the sink cannot be rewound, like wireless headphones. The audio that a listener would have heard is recorded as interleaved
        /// samples of 16 bits.
        case deep(rate: Int, channels: Int, takesBack: Bool = true)
        /// The server has no device. A PulseAudio server without a device creates its null sink `auto_null`.
        case none
    }

    /// The error if the PulseAudio server could not be started or controlled.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The name of the sink on which the server plays.
    public static let sinkName = "probe"

    /// The address of the server's socket, in the form of the variable PULSE_SERVER.
    public let address: String
    /// The path of a directory for the files of the PulseAudio server and other files of the test.
    public let directory: String
    /// The recording of a pipe or of a deep device; nil for other devices.
    public let recording: PulseRecording?
    private let process: pid_t
    private let isStopped = Mutex(false)
    private let listeners = Mutex<[pid_t]>([])

    /// Starts a PulseAudio server, and waits until the server accepts connections.
    ///
    /// - Parameters:
    ///   - modules: Additional PulseAudio modules with their arguments, which are loaded before all other modules.
    ///   - settings: The lines of the server's configuration `daemon.conf`. The server does not read the configuration of the machine.
    public init(_ device: Device = .pipe(rate: 44_100, channels: 2), modules: [String] = [], settings: [String] = ["flat-volumes = no"]) throws {
        var template = Array("/tmp/tonearm-pulse-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no directory could be created") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let socket = "\(directory)/native"
        let fifo = "\(directory)/fifo"
        // The module that accepts clients is loaded last, so that all devices exist when the server accepts connections.
        var loads = modules
        var lines = settings
        switch device {
        case .pipe(let rate, let channels, let isWide):
            loads.append(
                "module-pipe-sink sink_name=\(Self.sinkName) file=\(fifo) rate=\(rate) format=\(isWide ? "s32le" : "s16le") channels=\(channels)"
                    + " use_system_clock_for_timing=yes"
            )
        case .null(let rate, let channels):
            loads.append("module-null-sink sink_name=\(Self.sinkName) rate=\(rate) format=s16le channels=\(channels)")
        case .deep(let rate, let channels, let takesBack):
            // The audio is recorded one second after the device has played it, so that withdrawn audio is not recorded. The recording has the same
            // sample rate as the device, so the samples are copied unchanged.
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
        guard Self.wait(seconds: 60, for: { Self.canConnect(to: socket) || ChildProcess.hasEnded(child) }), !ChildProcess.hasEnded(child) else {
            ChildProcess.end(child, with: SIGKILL)
            throw Failure(description: "pulseaudio does not start")
        }
        switch device {
        case .pipe(let rate, let channels, let isWide):
            recording = try PulseRecording(fifo: fifo, sampleRate: rate, channelCount: channels, bytesPerSample: isWide ? 4 : 2)
        case .deep(let rate, let channels, _): recording = try PulseRecording(fifo: fifo, sampleRate: rate, channelCount: channels)
        default: recording = nil
        }
    }

    deinit { stop() }

    /// The environment variables with which a client uses the private PulseAudio server.
    public var environment: [String] { ["PULSE_SERVER=\(address)", "XDG_RUNTIME_DIR=\(directory)", "HOME=\(directory)"] }

    /// Controls the private PulseAudio server: runs the program `pactl` with `arguments`. Throws if `pactl` fails.
    public func control(_ arguments: String...) throws {
        let status = try ChildProcess.run(["pactl"] + arguments, environment: environment)
        guard status == 0 else { throw Failure(description: "pactl \(arguments.joined(separator: " ")) ended with \(status)") }
    }

    /// Returns whether the output of `pactl list` contains a text.
    /// - Parameters:
    ///   - objects: The kind of objects to list (`sink-inputs`, `sinks`, …).
    ///   - owner: A text that identifies an object: only objects that contain it are searched.
    public func lists(_ text: String, among objects: String, of owner: String = "") throws -> Bool {
        // An empty line separates the objects.
        let script = """
            pactl list "$1" | awk -v RS= -v owner="$3" -v text="$2" '
                (owner == "" || index($0, owner)) && index($0, text) { found = 1 } END { exit !found }'
            """
        return try ChildProcess.run(["sh", "-c", script, "sh", objects, text, owner], environment: environment) == 0
    }

    /// Adds a client that records the audio of the device and requests a short latency, like a recorder or a game.
    public func addListener(milliseconds: Int) throws {
        let listener = try ChildProcess.spawn(
            ["parec", "--device=\(Self.sinkName).monitor", "--latency-msec=\(milliseconds)", "--raw", "/dev/null"], environment: environment)
        listeners.withLock { $0.append(listener) }
    }

    /// Kills the PulseAudio server, to simulate a crash.
    public func crash() { Glibc.kill(process, SIGKILL) }
    /// Suspends the PulseAudio server, so that it does not reply until `thaw` is called.
    public func freeze() { Glibc.kill(process, SIGSTOP) }
    public func thaw() { Glibc.kill(process, SIGCONT) }

    /// Ends the PulseAudio server and the recording, and removes the server's files. `stop` is idempotent.
    public func stop() {
        let mustStop = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard mustStop else { return }
        thaw()
        // The signal is SIGKILL, because the recording clients may have inherited a signal mask that blocks other signals.
        for listener in listeners.withLock({ $0 }) { ChildProcess.end(listener, with: SIGKILL) }
        ChildProcess.end(process, with: SIGTERM)
        recording?.finish()
        _ = try? ChildProcess.run(["rm", "-rf", directory], environment: [])
    }

    /// Waits until a condition outside the test process is met. The condition is checked every 3 ms.
    ///
    /// - Returns: True if the condition was met within `seconds`, otherwise false.
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
