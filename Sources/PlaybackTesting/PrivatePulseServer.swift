import Glibc
import PlaybackEngine
import Synchronization

/// A PulseAudio server of a test's own: no hardware, nobody else's streams, nothing of the user's configuration.
///
/// It ends with `stop`; one that a crashed test leaves behind ends by itself.
public final class PrivatePulseServer: Sendable {
    /// What the server plays on.
    public enum Device: Sendable {
        /// A pipe that gives exactly what a device would get, and is recorded. 16-bit samples, interleaved.
        case pipe(rate: Int, channels: Int)
        /// A null sink in blocks as long as its clients want.
        case null(rate: Int, channels: Int)
        /// A null sink that mixes as far ahead as its clients allow, and takes it back, as hardware does, or does not, as headphones on the air. What
        /// would have been heard is recorded. 16-bit samples, interleaved.
        case deep(rate: Int, channels: Int, takesBack: Bool = true)
        /// None: the server makes up its `auto_null`.
        case none
    }

    /// Why a server could not be started.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The name of the sink.
    public static let sinkName = "probe"

    /// The socket, as PULSE_SERVER has it.
    public let address: String
    /// A directory of its own, for other files of the test too.
    public let directory: String
    /// What was played, for a pipe and a deep device.
    public let recording: PulseRecording?
    private let process: pid_t
    private let isStopped = Mutex(false)
    private let listeners = Mutex<[pid_t]>([])

    /// Starts a server and waits until it answers.
    ///
    /// - Parameters:
    ///   - modules: further modules with their arguments, loaded first.
    ///   - settings: lines of a `daemon.conf`; nothing of this machine's is read.
    public init(_ device: Device = .pipe(rate: 44_100, channels: 2), modules: [String] = [], settings: [String] = ["flat-volumes = no"]) throws {
        var template = Array("/tmp/tonearm-pulse-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no directory can be made") }
        let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let socket = "\(directory)/native"
        let fifo = "\(directory)/fifo"
        // The protocol comes last: a server that answers has all its devices.
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
            // A second behind the device, so that what it takes back is not on the tape; at its pace, and sample by sample.
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
        guard let file = fopen(configuration, "w") else { throw Failure(description: "no file can be made") }
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

    /// What a client of this server needs in its environment.
    public var environment: [String] { ["PULSE_SERVER=\(address)", "XDG_RUNTIME_DIR=\(directory)", "HOME=\(directory)"] }

    /// Runs `pactl` with `arguments` against this server.
    public func control(_ arguments: String...) throws {
        let status = try ChildProcess.run(["pactl"] + arguments, environment: environment)
        guard status == 0 else { throw Failure(description: "pactl \(arguments.joined(separator: " ")) ended with \(status)") }
    }

    /// Whether `pactl list` of `objects` (`sink-inputs`, `sinks`, …) contains a text.
    public func lists(_ text: String, among objects: String) throws -> Bool {
        let script = "pactl list \"$1\" | grep -qF -- \"$2\""
        return try ChildProcess.run(["sh", "-c", script, "sh", objects, text], environment: environment) == 0
    }

    /// Lets another client listen to what is played, which wants a short latency of the device, as a recorder or a game does.
    public func addListener(milliseconds: Int) throws {
        let listener = try ChildProcess.spawn(
            ["parec", "--device=\(Self.sinkName).monitor", "--latency-msec=\(milliseconds)", "--raw", "/dev/null"], environment: environment)
        listeners.withLock { $0.append(listener) }
    }

    /// Stops the server as a crash would.
    public func crash() { Glibc.kill(process, SIGKILL) }
    /// Lets the server answer nothing until `thaw`.
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
        // They may have inherited a mask that keeps other signals from them.
        for listener in listeners.withLock({ $0 }) { ChildProcess.end(listener, with: SIGKILL) }
        ChildProcess.end(process, with: SIGTERM)
        recording?.finish()
        _ = try? ChildProcess.run(["rm", "-rf", directory], environment: [])
    }

    /// Waits for a condition of the outside world, looked at each few milliseconds.
    ///
    /// - Returns: whether it came true in time.
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
