import CPulse
import Platform
import PlaybackEngine

/// libpulse's threaded mainloop, and its context.
///
/// `@unchecked Sendable`: `loop` and `context` are set once and freed by `deinit` after `close`. All other state, and all libpulse objects, are
/// accessed only inside `withLock` or on the loop's thread, which holds the lock during callbacks.
final class PulseConnection: @unchecked Sendable {
    /// The default time limit of a command, in seconds.
    static let patience = 2.0

    private let loop: OpaquePointer
    let context: OpaquePointer
    /// The time limit of a command, in seconds.
    let patience: Double
    /// Makes `wait` check its condition again.
    private let changed = WakeSignal()
    private var isClosed = false
    /// The function that is called when the connection is lost: at most once, with the lock held. Nil afterwards.
    private var onFailure: ((PlaybackError) -> Void)?

    /// Creates the mainloop and the context, without a connection to a server.
    init(applicationName: String, patience: Double = PulseConnection.patience) throws(PlaybackError) {
        guard let loop = pa_threaded_mainloop_new() else {
            throw .pulse(Int32(PA_ERR_INTERNAL.rawValue), "The PulseAudio client could not be started.")
        }
        pa_threaded_mainloop_set_name(loop, "pulse")
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, applicationName)
        pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "multimedia-audio-player")
        guard let context = pa_context_new_with_proplist(pa_threaded_mainloop_get_api(loop), applicationName, properties) else {
            pa_threaded_mainloop_free(loop)
            throw .pulse(Int32(PA_ERR_INTERNAL.rawValue), "The PulseAudio client could not be started.")
        }
        self.loop = loop
        self.patience = patience
        self.context = context
    }

    deinit {
        assert(isClosed, "a PulseConnection must be closed before it is released")
        close()
        pa_threaded_mainloop_free(loop)
    }

    /// Connects to a sound server, but never starts one.
    /// - Parameter server: The server in the syntax of PULSE_SERVER; nil for the value of that variable, or else of the user's configuration.
    func connect(to server: String?, until deadline: HostTime) throws(PlaybackError) {
        pa_context_set_state_callback(context, pulseContextChanged, Unmanaged.passUnretained(self).toOpaque())
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 else { throw connectionError }
        guard pa_threaded_mainloop_start(loop) == 0 else {
            throw .pulse(Int32(PA_ERR_INTERNAL.rawValue), "The PulseAudio client could not be started.")
        }
        var state = PA_CONTEXT_UNCONNECTED
        let isDecided = wait(until: deadline) {
            state = pa_context_get_state(self.context)
            return state == PA_CONTEXT_READY || !state.isGood
        }
        guard isDecided else { throw .pulseTimeout("The PulseAudio server did not respond in time.") }
        guard state == PA_CONTEXT_READY else { throw withLock { connectionError } }
    }

    private var connectionError: PlaybackError { .pulse(pa_context_errno(context), "No PulseAudio server can be reached.") }

    /// libpulse's last error. The caller holds the lock.
    func lastError(_ message: String) -> PlaybackError { .pulse(pa_context_errno(context), message) }

    /// Releases the operation that a function of libpulse has returned; throws libpulse's last error if it is nil. The caller holds the lock.
    func send(_ operation: OpaquePointer?) throws(PlaybackError) {
        guard let operation else { throw lastError("The command could not be sent to the PulseAudio server.") }
        pa_operation_unref(operation)
    }

    /// Sets the function that is called once, with the lock held, if the connection is lost. The caller holds the lock.
    func observeFailure(_ onFailure: @escaping (PlaybackError) -> Void) { self.onFailure = onFailure }

    /// Runs `body` under the lock; no callback runs meanwhile. Reentrant: callbacks may call it.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard pa_threaded_mainloop_in_thread(loop) == 0 else { return try body() }
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        return try body()
    }

    /// Waits until `isDone` returns true; it is evaluated with the lock held, at first and after each `notifyWaiter`. Only one thread may wait, which
    /// must not hold the lock, and not be the loop's own. Returns false if the deadline has passed first.
    func wait(until deadline: HostTime, _ isDone: () -> Bool) -> Bool {
        while true {
            if withLock(isDone) { return true }
            if !changed.wait(until: deadline) { return withLock(isDone) }
        }
    }

    func notifyWaiter() { changed.raise() }

    /// The caller holds the lock.
    func free(_ timer: OpaquePointer) { pa_threaded_mainloop_get_api(loop)?.pointee.time_free(timer) }

    /// Handles a change of the context's state. The caller holds the lock.
    func contextChanged() {
        notifyWaiter()
        guard !pa_context_get_state(context).isGood, let onFailure else { return }
        self.onFailure = nil
        onFailure(.pulse(pa_context_errno(context), "The connection to the PulseAudio server was lost."))
    }

    /// Disconnects; no callback runs afterwards. May be called again, but not on the loop's thread.
    func close() {
        precondition(pa_threaded_mainloop_in_thread(loop) == 0, "a sink must not be closed inside its own event")
        let mustClose = withLock {
            defer { isClosed = true }
            guard !isClosed else { return false }
            onFailure = nil
            pa_context_set_state_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
            return true
        }
        if mustClose { pa_threaded_mainloop_stop(loop) }
    }
}

extension pa_context_state_t {
    var isGood: Bool { self != PA_CONTEXT_UNCONNECTED && self != PA_CONTEXT_FAILED && self != PA_CONTEXT_TERMINATED }
}

extension pa_stream_state_t {
    var isGood: Bool { self == PA_STREAM_CREATING || self == PA_STREAM_READY }
}

extension PlaybackError {
    /// `code` is a `pa_error_code_t`; `message` names the operation for users.
    static func pulse(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = pa_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "PulseAudio", code: Int(code), message: detail))
    }

    /// The error of a command without a reply before its deadline.
    static func pulseTimeout(_ message: String) -> PlaybackError {
        .pulse(Int32(PA_ERR_TIMEOUT.rawValue), message)
    }
}
