import CPulse
import Glibc
import Platform
public import PlaybackEngine
import Synchronization

/// Watches for the sound server and its devices, on a thread of its own, until it is released.
///
/// While the server answers, its subscription reports changes of the devices. While it does not, inotify reports changes of its socket. A socket exists
/// before its server answers, so each change is followed by a few attempts. A server on another machine has no socket, and is tried at intervals.
public final class PulsePresence: Sendable {
    private let watcher: Watcher

    /// - Parameters:
    ///   - server: The server in the syntax of PULSE_SERVER; nil for that variable, or else the user's own server.
    ///   - report: Called on the thread, soon and after each change.
    public init(server: String? = nil, report: @escaping @Sendable (OutputPresence) -> Void) {
        let watcher = Watcher(server: server, report: report)
        self.watcher = watcher
        // Without a thread, the server counts as never seen.
        _ = try? WorkerThread(starting: "sound server") { watcher.run() }
    }

    deinit { watcher.stop() }
}

extension PulsePresence {
    /// The pauses between attempts after a change, in seconds.
    private static let pauses = [0.02, 0.04, 0.08, 0.16, 0.32, 0.64]
    /// The time between attempts to reach a server that has no socket here, in seconds.
    private static let interval = 5.0
    /// The time after which a server that does not answer counts as absent, in seconds.
    private static let patience = 2.0

    private enum Outcome {
        /// The server has answered, and its connection has ended.
        case followed
        /// There is no server.
        case refused
        /// A server has accepted the connection and never answered, as one that is stopped. libpulse waits 30 s for it.
        case unanswered
    }

    private final class Watcher: Sendable {
        /// libpulse's loop while a connection exists, which another thread may only wake. `@unchecked Sendable`: the pointer is guarded by the mutex.
        private struct Loop: @unchecked Sendable {
            var pointer: OpaquePointer?
            var isStopped = false
            /// Whether the absence was reported.
            var isAbsent = false
        }

        private let server: String?
        private let report: @Sendable (OutputPresence) -> Void
        private let signs: EntryWatch
        private let loop = Mutex(Loop())

        init(server: String?, report: @escaping @Sendable (OutputPresence) -> Void) {
            self.server = server
            self.report = report
            let socket = PulseSocket.path(of: server)
            signs = EntryWatch(folder: socket?.folder, name: socket?.name)
        }

        private var isStopped: Bool { loop.withLock { $0.isStopped } }

        func stop() {
            loop.withLock { loop in
                loop.isStopped = true
                if let pointer = loop.pointer { pa_mainloop_wakeup(pointer) }
            }
            signs.stop()
        }

        func run() {
            let clock = MonotonicClock()
            var pauses = PulsePresence.pauses[...]
            while !isStopped {
                signs.arm()
                let began = clock.now
                switch follow() {
                // A server that drops each client at once is asked less and less often.
                case .followed: if clock.now - began > 1 { pauses = PulsePresence.pauses[...] }
                case .unanswered: continue
                case .refused: reportAbsence()
                }
                let pause = pauses.popFirst() ?? (signs.isBlind ? PulsePresence.interval : nil)
                switch signs.wait(atMost: pause) {
                case .changed: pauses = PulsePresence.pauses[...]
                case .late: break
                case .stopped: return
                }
            }
        }

        private func reportAbsence() {
            let isNews = loop.withLock { loop in
                defer { loop.isAbsent = true }
                return !loop.isAbsent && !loop.isStopped
            }
            if isNews { report(.absent) }
        }

        /// Connects, and reports the devices until the connection or the watcher ends.
        private func follow() -> Outcome {
            guard let pointer = pa_mainloop_new() else { return .refused }
            defer { pa_mainloop_free(pointer) }
            loop.withLock { $0.pointer = pointer }
            defer { loop.withLock { $0.pointer = nil } }
            guard let context = pa_context_new(pa_mainloop_get_api(pointer), "Tonearm") else { return .refused }
            defer {
                pa_context_disconnect(context)
                pa_context_unref(context)
            }
            guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 else { return .refused }
            let clock = MonotonicClock()
            let deadline = clock.now + PulsePresence.patience
            while pa_context_get_state(context) != PA_CONTEXT_READY {
                let left = deadline - clock.now
                if left <= 0 { reportAbsence() }
                guard iterate(pointer, context, microseconds: left > 0 ? Int32(left * 1e6) + 1 : -1) else {
                    return pa_context_errno(context) == Int32(PA_ERR_TIMEOUT.rawValue) ? .unanswered : .refused
                }
            }
            loop.withLock { $0.isAbsent = false }
            let changes = DeviceChanges()
            pa_context_set_subscribe_callback(context, pulseDevicesChanged, Unmanaged.passUnretained(changes).toOpaque())
            if let operation = pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_SINK, nil, nil) { pa_operation_unref(operation) }
            while !isStopped, pa_context_get_state(context).isGood {
                if changes.takeAll() {
                    guard let devices = list(pointer, context) else { return .followed }
                    report(.present(devices: devices))
                } else if !iterate(pointer, context, microseconds: -1) {
                    return .followed
                }
            }
            return .followed
        }

        /// The names of the devices; nil if the connection or the watcher ends first.
        private func list(_ pointer: OpaquePointer, _ context: OpaquePointer) -> Set<String>? {
            let found = PulseQuery.FoundSinks()
            let operation = pa_context_get_sink_info_list(context, pulseSinkListed, Unmanaged.passUnretained(found).toOpaque())
            guard let operation else { return nil }
            defer { pa_operation_unref(operation) }
            while !found.isComplete {
                guard iterate(pointer, context, microseconds: -1) else {
                    // After this, libpulse does not call back.
                    pa_operation_cancel(operation)
                    return nil
                }
            }
            return Set(found.sinks.map(\.name))
        }

        /// Waits for the next event of libpulse, or `stop`. Returns false after the end of the connection or the watcher.
        private func iterate(_ pointer: OpaquePointer, _ context: OpaquePointer, microseconds: Int32) -> Bool {
            guard !isStopped, pa_context_get_state(context).isGood else { return false }
            // `prepare` discards a wake-up of before it, so the stop is looked at after it.
            guard pa_mainloop_prepare(pointer, microseconds) >= 0, !isStopped, pa_mainloop_poll(pointer) >= 0 else { return false }
            return pa_mainloop_dispatch(pointer) >= 0
        }
    }
}

/// Whether the devices have changed since they were listed. Used only on the thread that runs libpulse's loop.
private final class DeviceChanges {
    private var isNew = true

    func note() { isNew = true }

    func takeAll() -> Bool {
        defer { isNew = false }
        return isNew
    }
}

/// libpulse's callback for the subscription to devices.
private func pulseDevicesChanged(
    _ context: OpaquePointer?, _ type: pa_subscription_event_type_t, _ index: UInt32, _ changes: UnsafeMutableRawPointer?
) {
    guard let changes else { return }
    // Only the appearance and the disappearance of a device matter, not its volume.
    let kind = type.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    guard kind == PA_SUBSCRIPTION_EVENT_NEW.rawValue || kind == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue else { return }
    Unmanaged<DeviceChanges>.fromOpaque(changes).takeUnretainedValue().note()
}

/// The file by which a sound server of this machine is reached.
enum PulseSocket {
    /// The folder and the name of the server's socket; nil for a server on another machine.
    static func path(of server: String?) -> (folder: String, name: String)? {
        guard let server = server ?? variable("PULSE_SERVER") else {
            let folder = variable("PULSE_RUNTIME_PATH") ?? (variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + "/pulse"
            return (folder, "native")
        }
        // The first of several servers is the usual one. An address may begin with the id of its machine in braces.
        var address = server.split(separator: " ").first ?? ""
        if address.first == "{", let end = address.firstIndex(of: "}") { address = address[address.index(after: end)...] }
        if address.hasPrefix("unix:") { address = address.dropFirst("unix:".count) }
        guard address.first == "/", let slash = address.lastIndex(of: "/") else { return nil }
        return (slash == address.startIndex ? "/" : String(address[..<slash]), String(address[address.index(after: slash)...]))
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }
}
