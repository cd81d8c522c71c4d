import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// A PulseAudio server for one test, without hardware, other programs' streams and the user's configuration. Ends by `stop`, or if the test crashes.
public final class PrivatePulseServer: Sendable {
    /// The device on which the server plays.
    public enum Device: Sendable {
        /// A pipe, whose samples are recorded: interleaved, with 16 bits, or with 32 if `isWide`.
        case pipe(rate: Int, channels: Int, isWide: Bool = false)
        /// A null sink, whose blocks are as long as clients request.
        case null(rate: Int, channels: Int)
        /// A device that mixes as far ahead as clients permit. If `takesBack`, it can be rewound like hardware; otherwise it cannot, like wireless
        /// headphones. The recording is what would have been heard, in interleaved samples of 16 bits.
        case deep(rate: Int, channels: Int, takesBack: Bool = true)
        /// No device; the server then creates `auto_null`.
        case none
    }

    /// The server could not be started or controlled.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public static let sinkName = "probe"

    /// The address of the server in the syntax of PULSE_SERVER.
    public let address: String
    /// The directory of the server's files, and of other files of the test.
    public let directory: String
    /// The recording of a pipe or a deep device.
    public let recording: PulseRecording?
    private let process: pid_t
    private let isStopped = Mutex(false)
    private let listeners = Mutex<[pid_t]>([])

    /// Starts the server, and waits until it accepts connections.
    /// - Parameters:
    ///   - modules: Modules with their arguments, which are loaded first.
    ///   - settings: The lines of `daemon.conf`; the file of the machine is not read.
    public init(_ device: Device = .pipe(rate: 44_100, channels: 2), modules: [String] = [], settings: [String] = ["flat-volumes = no"]) throws {
        var template = Array("/tmp/tonearm-pulse-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no directory could be created") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let socket = "\(directory)/native"
        let fifo = "\(directory)/fifo"
        // The socket is opened last, so that all devices exist when the server accepts connections.
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
            // The device is recorded one second after playback, so without withdrawn audio, and at the same rate, so without a change of the samples.
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

    public var environment: [String] { ["PULSE_SERVER=\(address)", "XDG_RUNTIME_DIR=\(directory)", "HOME=\(directory)"] }

    /// Runs `pactl` with these arguments; throws if it fails.
    public func control(_ arguments: String...) throws {
        let status = try ChildProcess.run(["pactl"] + arguments, environment: environment)
        guard status == 0 else { throw Failure(description: "pactl \(arguments.joined(separator: " ")) ended with \(status)") }
    }

    /// Whether an object in `pactl list` (`sink-inputs`, `sinks`, …) contains a text; only objects that contain `owner` count.
    public func lists(_ text: String, among objects: String, of owner: String = "") throws -> Bool {
        // An empty line separates the objects.
        let script = """
            pactl list "$1" | awk -v RS= -v owner="$3" -v text="$2" '
                (owner == "" || index($0, owner)) && index($0, text) { found = 1 } END { exit !found }'
            """
        return try ChildProcess.run(["sh", "-c", script, "sh", objects, text, owner], environment: environment) == 0
    }

    /// Starts a program that records with a short latency, like a recorder or a game.
    public func addListener(milliseconds: Int) throws {
        let listener = try ChildProcess.spawn(
            ["parec", "--device=\(Self.sinkName).monitor", "--latency-msec=\(milliseconds)", "--raw", "/dev/null"], environment: environment)
        listeners.withLock { $0.append(listener) }
    }

    public func crash() { Glibc.kill(process, SIGKILL) }
    /// Stops the process of the server, which does not reply until `thaw`.
    public func freeze() { Glibc.kill(process, SIGSTOP) }
    public func thaw() { Glibc.kill(process, SIGCONT) }

    /// Ends the server and the recording, and removes the files. Idempotent.
    public func stop() {
        let mustStop = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard mustStop else { return }
        thaw()
        // The processes of `parec` may have inherited a mask of other signals.
        for listener in listeners.withLock({ $0 }) { ChildProcess.end(listener, with: SIGKILL) }
        ChildProcess.end(process, with: SIGTERM)
        recording?.finish()
        _ = try? ChildProcess.run(["rm", "-rf", directory], environment: [])
    }

    /// Waits for a condition outside the process, which is checked every 3 ms. Returns false after `seconds`.
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
