import CSystemd
import Glibc
import Platform
import Synchronization

/// Watches for the sleep of the machine, which logind announces on the system's bus, and delays it until the program has paused. On a machine without
/// a bus there is no thread. If the bus ends, the thread waits for the next one by inotify.
final class SleepWatch: Sendable {
    /// `done` is called when the program is ready for the sleep. Called on the thread of the watch.
    typealias Handler = @Sendable (_ isAsleep: Bool, _ done: @escaping @Sendable () -> Void) -> Void

    /// The pauses between attempts to reach a bus whose socket has changed, in seconds.
    private static let pauses = [0.05, 0.2, 0.8]
    /// The bus's announcement that logind has appeared or disappeared.
    private static let otherLogind =
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.freedesktop.login1'"

    private struct State {
        var handler: Handler?
        var isAsleep = false
        /// The descriptor that delays the sleep; negative without one.
        var delay: Int32 = -1
    }

    private let state: Mutex<State>

    /// - Parameter variables: The environment, whose DBUS_SYSTEM_BUS_ADDRESS may name another bus.
    init(environment variables: [String: String], handler: @escaping Handler) {
        state = Mutex(State(handler: handler))
        guard let socket = Self.socket(variables["DBUS_SYSTEM_BUS_ADDRESS"]), access(socket, F_OK) == 0, let slash = socket.lastIndex(of: "/") else {
            return
        }
        let signs = EntryWatch(folder: String(socket[..<slash]), name: String(socket[socket.index(after: slash)...]))
        // Without a thread, the machine sleeps as if the program did not know it.
        _ = try? WorkerThread(starting: "logind") { [self] in run(signs) }
    }

    /// Reports nothing afterwards. The thread ends with the process.
    func stop() { state.withLock { $0.handler = nil } }

    /// The socket of the bus; nil if it is no file.
    static func socket(_ address: String?) -> String? {
        guard let address else { return "/run/dbus/system_bus_socket" }
        let prefix = "unix:path="
        guard address.hasPrefix(prefix) else { return nil }
        let path = address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" }
        return path.first == "/" ? String(path) : nil
    }

    private func run(_ signs: EntryWatch) {
        var pauses = Self.pauses[...]
        while true {
            signs.arm()
            if follow() { pauses = Self.pauses[...] }
            // A bus that has ended announces no wake-up.
            report(isAsleep: false)
            switch signs.wait(atMost: pauses.popFirst()) {
            case .changed: pauses = Self.pauses[...]
            case .late: break
            case .stopped: return
            }
        }
    }

    /// Follows the bus until it ends. Returns false if it cannot be reached.
    private func follow() -> Bool {
        var opened: OpaquePointer?
        guard sd_bus_open_system(&opened) >= 0, let bus = opened else { return false }
        defer { sd_bus_close_unref(bus) }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let code = sd_bus_match_signal(
            bus, nil, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", sleepWasAnnounced, me)
        guard code >= 0, sd_bus_add_match(bus, nil, Self.otherLogind, logindOwnerChanged, me) >= 0 else { return false }
        delaySleep(by: bus)
        defer { allowSleep() }
        while true {
            let handled = sd_bus_process(bus, nil)
            if handled < 0 { return true }
            // After the wake-up, the next sleep is delayed too.
            if state.withLock({ !$0.isAsleep && $0.delay < 0 }) { delaySleep(by: bus) }
            if handled == 0, sd_bus_wait(bus, .max) < 0 { return true }
        }
    }

    private func delaySleep(by bus: OpaquePointer) {
        let descriptor = CSystemd_delaySleep(bus, "Tonearm", "Playback is paused first")
        // A refusal is kept as the largest number, which is no descriptor, so that logind is not asked again after each message.
        state.withLock { $0.delay = descriptor >= 0 ? descriptor : .max }
    }

    private func allowSleep() {
        let descriptor = state.withLock { state in
            defer { state.delay = -1 }
            return state.delay
        }
        if descriptor >= 0, descriptor != .max { close(descriptor) }
    }

    /// Called when logind has appeared or disappeared: the former one announces no wake-up, and its descriptor delays nothing any more.
    fileprivate func logindHasChanged() {
        report(isAsleep: false)
        allowSleep()
    }

    /// Reports a change, and allows the sleep when the program is ready for it.
    func report(isAsleep: Bool) {
        let handler = state.withLock { state -> Handler? in
            guard state.isAsleep != isAsleep else { return nil }
            state.isAsleep = isAsleep
            return state.handler
        }
        handler?(isAsleep) { [weak self] in if isAsleep { self?.allowSleep() } }
    }
}

/// sd-bus calls this function on the thread of the watch, with logind's announcement that the machine will sleep, or has woken.
private func sleepWasAnnounced(_ message: OpaquePointer?, _ watch: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?) -> Int32 {
    var isAsleep: Int32 = 0
    guard let watch, sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &isAsleep) >= 0 else { return 0 }
    Unmanaged<SleepWatch>.fromOpaque(watch).takeUnretainedValue().report(isAsleep: isAsleep != 0)
    return 0
}

/// sd-bus calls this function on the thread of the watch.
private func logindOwnerChanged(_ message: OpaquePointer?, _ watch: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?) -> Int32 {
    if let watch { Unmanaged<SleepWatch>.fromOpaque(watch).takeUnretainedValue().logindHasChanged() }
    return 0
}
