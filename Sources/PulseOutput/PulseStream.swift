import CPulse
import PlaybackEngine

/// A playback stream on a connected mainloop: the open half of `PulseSink`.
///
/// Byte n of the stream is byte n of the output frames, counted from `base`: nothing but frames of the source is written, and the server is told to wait
/// (not to skip) where there are none. So the server's read index tells exactly which frames it has taken. Only where a device is rewound, and there is
/// nothing to put in the place of all of its old sound, silence follows (`paddingEnd`); what the server takes of that is left out by moving `base`.
///
/// `@unchecked Sendable`: every stored property is touched only under the mainloop's lock, which callbacks hold.
final class PulseStream: @unchecked Sendable {
    /// Calls answer within this time or fail, in seconds.
    static let patience = 2.0

    let mainloop: PulseMainloop
    let stream: OpaquePointer
    let devices: PulseDevices
    let format: AudioFormat
    let bytesPerFrame: Int
    /// The number of the stream's first frame, had there been no silence between.
    var base: Int64
    let source: RenderSource
    let cell: PlayheadCell
    let clock = MonotonicClock()
    /// Nil once closed.
    private(set) var events: (@Sendable (AudioSinkEvent) -> Void)?
    var device: PulseDevice
    /// The name of the device now, also while the rest is being looked up.
    var deviceName = ""
    var deviceChanged: ((PulseDevice) -> Void)?

    /// Connected, with all that is known of it.
    private(set) var isOpen = false
    /// Set once the stream is gone.
    var failure: PlaybackError?
    var isClosed: Bool { events == nil }
    /// Uncorked, as far as we asked.
    var isStarted = false
    /// While a flush is under way nothing is written.
    var isHolding = false
    /// Somebody put the device to sleep while the stream ran, and that was told.
    var wasSuspended = false
    /// Nothing left to play although started.
    var isDry = false
    /// The frame behind the last one that was played before it ran dry.
    var dryFrame: Int64 = 0
    var dryTimer: OpaquePointer?
    /// The frame behind the last one written.
    var writtenFrames: Int64
    /// What has been asked of the server's clock and not been answered, oldest first.
    var questions: [TimingQuestion] = []
    /// How many questions have been asked and answered in all.
    var askedCount = 0
    var answeredCount = 0
    /// Where a stop or a flush has come to: the first frame that the server has not taken.
    var landingFrame: Int64?
    /// What the server has taken of a stream that plays on while it is held, and how long it takes from there to the ear, in seconds.
    var takenWhileHeld: (frame: Int64, latency: Double, isPlaying: Bool)?
    /// The answer to `probe`: where the server has nothing to read any more, and when that was so.
    var probed: (rests: Int64, time: HostTime)?
    /// What is known about rewinding the device.
    var rewinding = Rewinding()
    /// What the server had read of a stream that is held and of which some of that has been given back.
    var rewound: Int64?
    /// Behind the last frame written there is silence up to this byte of the stream, not nothing.
    var paddingEnd: Int64?
    /// Answers to questions up to this one count from another `base`.
    var outdatedCount = 0
    /// Running dry at this frame means nothing: more is on its way.
    var probedFrame: Int64?
    var commandFailed = false
    /// The gain that the stream's volume stands for.
    var gain: Float = 1
    /// The gain to set once the stream's present volume is known (flat volumes).
    var wantedGain: Float?
    /// Whether it is to be silent then.
    var wantsMute = false
    /// What gain 1 is on the device's scale (flat volumes).
    var fullVolume = CPulse_volumeNorm
    var tracker: PlayheadTracker

    /// Makes the stream, without connecting it.
    init(
        mainloop: PulseMainloop, format: AudioFormat, source: RenderSource, base: Int64, cell: PlayheadCell, role: StreamRole,
        events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        guard var specification = format.pulseSampleSpecification, var map = format.channelLayout.pulseChannelMap else {
            throw .pulse(Int32(PA_ERR_NOTSUPPORTED.rawValue), "PulseAudio cannot play \(format.channelCount) channels at \(format.sampleRate) Hz.")
        }
        self.mainloop = mainloop
        self.format = format
        self.source = source
        self.base = base
        self.cell = cell
        self.events = events
        bytesPerFrame = pa_frame_size(&specification)
        writtenFrames = base
        tracker = PlayheadTracker(sampleRate: format.sampleRate, frame: base, now: clock.now)
        devices = PulseDevices(context: mainloop.context)
        device = PulseDevice(name: "", description: "")
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
        let made: OpaquePointer? = mainloop.withLock {
            pa_stream_new_with_proplist(mainloop.context, "Playback", &specification, &map, properties)
        }
        guard let made else { throw mainloop.withLock { mainloop.lastError("PulseAudio cannot make a stream.") } }
        stream = made
        cell.store(tracker.playhead)
    }

    deinit { assert(isClosed, "a PulseStream is closed before it is let go") }

    /// Connects it, stopped, and waits until it stands and its device is known.
    func connect(to sink: String?, volume: Float, isMuted: Bool, until deadline: HostTime) throws(PlaybackError) {
        try mainloop.withLock { () throws(PlaybackError) in
            let me = pointerToSelf
            pa_stream_set_state_callback(stream, pulseStreamChanged, me)
            pa_stream_set_write_callback(stream, pulseStreamWants, me)
            pa_stream_set_started_callback(stream, pulseStreamStarted, me)
            pa_stream_set_underflow_callback(stream, pulseStreamUnderflowed, me)
            pa_stream_set_moved_callback(stream, pulseStreamMoved, me)
            pa_stream_set_suspended_callback(stream, pulseStreamSuspended, me)
            pa_stream_set_event_callback(stream, pulseStreamAsked, me)
            mainloop.onFailure = { [unowned self] error in fail(error) }
            var attributes = format.pulseBufferAttributes(bytesPerFrame: bytesPerFrame)
            // The volume is given, relative to the device's, so that none is restored from another program's last use.
            gain = pulseVolume(volume) > 0 ? volume : 1
            var volumes = pa_cvolume()
            pa_cvolume_set(&volumes, UInt32(format.channelCount), pulseVolume(gain))
            let mute = isMuted || pulseVolume(volume) == 0 ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED
            let flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue | mute.rawValue
            let code = pa_stream_connect_playback(stream, sink, &attributes, pa_stream_flags_t(rawValue: flags), &volumes, nil)
            guard code == 0 else { throw mainloop.lastError("PulseAudio cannot make a stream.") }
        }
        var state = PA_STREAM_UNCONNECTED
        let isDecided = mainloop.wait(until: deadline) {
            state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || !state.isGood || failure != nil
        }
        guard isDecided else { throw .pulseTimeout("The PulseAudio server does not answer.") }
        guard state == PA_STREAM_READY else {
            throw mainloop.withLock { failure ?? mainloop.lastError("PulseAudio cannot make a stream.") }
        }
        var isKnown = false
        mainloop.withLock {
            lookUpDevice { [unowned self] in
                isKnown = true
                deviceName = device.name
                mainloop.notifyWaiter()
            }
        }
        guard mainloop.wait(until: deadline, { isKnown || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server does not answer.")
        }
        try mainloop.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            isOpen = true
        }
    }

    /// Ends it: no callback comes after it. The mainloop is closed with it. Idempotent.
    func close() {
        mainloop.withLock {
            guard !isClosed else { return }
            events = nil
            deviceChanged = nil
            isStarted = false
            cancelDryTimer()
            tracker.freeze(now: clock.now)
            cell.store(tracker.playhead)
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        mainloop.close()
    }
}
