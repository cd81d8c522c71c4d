import CPulse
import Platform
import PlaybackEngine

/// A connection to a sound server: libpulse's threaded mainloop (an event loop with its own thread), and libpulse's context on this mainloop.
///
/// `@unchecked Sendable`: the pointers `loop` and `context` are set once and freed by `deinit` after `close`. All other state of a `PulseConnection`,
/// and all its libpulse objects, are accessed only inside `withLock` or on the loop's own thread, which holds the lock while it runs callbacks.
final class PulseConnection: @unchecked Sendable {
    /// The usual maximum duration of a command, in seconds.
    static let patience = 2.0

    private let loop: OpaquePointer
    let context: OpaquePointer
    /// The maximum duration of a command of a stream of this connection, in seconds.
    let patience: Double
    /// The signal that makes a thread in `wait` check its condition again.
    private let changed = WakeSignal()
    private var isClosed = false
    /// The callback for the loss of the connection to the sound server. The callback is called at most once, with the mainloop's lock held; nil
    /// before it is set, and after the call.
    private var onFailure: ((PlaybackError) -> Void)?

    /// Makes libpulse's loop and context, without a connection to a server. `connect` starts the thread of libpulse's loop.
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

    /// Connects libpulse's context to a sound server. Never starts a sound server.
    ///
    /// - Parameters:
    ///   - server: a server string as in the environment variable PULSE_SERVER. Nil means the value of PULSE_SERVER, or the user's configuration if
    ///     that variable is not set.
    ///   - deadline: the host time at which the attempt to connect ends.
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

    /// Returns the error of the last failed call of libpulse. The caller holds libpulse's lock.
    func lastError(_ message: String) -> PlaybackError { .pulse(pa_context_errno(context), message) }

    /// Sends a command to the sound server. `operation` is the result of libpulse's function for the command; if `operation` is nil, the error of
    /// libpulse is thrown. The caller holds libpulse's lock.
    func send(_ operation: OpaquePointer?) throws(PlaybackError) {
        guard let operation else { throw lastError("The command could not be sent to the PulseAudio server.") }
        pa_operation_unref(operation)
    }

    /// Sets the callback for the loss of the connection to the sound server: the callback `onFailure` is called once, under the lock. The caller
    /// holds libpulse's lock.
    func observeFailure(_ onFailure: @escaping (PlaybackError) -> Void) { self.onFailure = onFailure }

    /// Runs the function `body` under the lock, while the thread of libpulse's loop runs no callback. `withLock` is reentrant: callbacks of libpulse
    /// may call it.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard pa_threaded_mainloop_in_thread(loop) == 0 else { return try body() }
        pa_threaded_mainloop_lock(loop)
        defer { pa_threaded_mainloop_unlock(loop) }
        return try body()
    }

    /// Blocks the calling thread until the condition `isDone` returns true. The condition `isDone` is evaluated under the lock, at the start of the
    /// wait and after each `notifyWaiter`. Only one thread at a time may wait. It must not hold the lock, and must not be the thread of libpulse's
    /// loop.
    ///
    /// - Returns: Whether `isDone` returned true; false if the deadline passed first.
    func wait(until deadline: HostTime, _ isDone: () -> Bool) -> Bool {
        while true {
            if withLock(isDone) { return true }
            if !changed.wait(until: deadline) { return withLock(isDone) }
        }
    }

    /// Makes the thread that waits in `wait` evaluate its condition again.
    func notifyWaiter() { changed.raise() }

    /// Frees a timer of libpulse's loop. The caller holds libpulse's lock.
    func free(_ timer: OpaquePointer) { pa_threaded_mainloop_get_api(loop)?.pointee.time_free(timer) }

    /// Handles a change in the state of libpulse's context. The caller holds libpulse's lock.
    func contextChanged() {
        notifyWaiter()
        guard !pa_context_get_state(context).isGood, let onFailure else { return }
        self.onFailure = nil
        onFailure(.pulse(pa_context_errno(context), "The connection to the PulseAudio server was lost."))
    }

    /// Disconnects from the sound server and ends the thread of libpulse's loop: no callback runs after the return. `close` is idempotent, and must
    /// not be called on the thread of libpulse's loop.
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
    /// Whether libpulse's context is connecting to the server or connected.
    var isGood: Bool { self != PA_CONTEXT_UNCONNECTED && self != PA_CONTEXT_FAILED && self != PA_CONTEXT_TERMINATED }
}

extension pa_stream_state_t {
    /// Whether the PulseAudio stream is being created or ready.
    var isGood: Bool { self == PA_STREAM_CREATING || self == PA_STREAM_READY }
}
