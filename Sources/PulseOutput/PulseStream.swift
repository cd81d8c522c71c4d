import CPulse
import PlaybackEngine

/// A playback stream on a connected mainloop: the part of an open `PulseSink`.
///
/// Byte n of the stream is byte n of the output frames, counted from `base`: only frames of the source are written, and in an underrun the server
/// waits instead of skipping. So the server's read index is exactly the number of frames that it has taken. There is one exception: if a device is
/// rewound and the new frames do not replace all of the old audio, silence follows (`paddingEnd`). The silence that the server takes is excluded by
/// moving `base`.
///
/// `@unchecked Sendable`: every stored property is accessed only under the mainloop's lock, which callbacks hold.
final class PulseStream: @unchecked Sendable {
    /// The maximum duration of a call, in seconds.
    static let patience = 2.0

    let mainloop: PulseMainloop
    let stream: OpaquePointer
    let devices: PulseDevices
    let format: AudioFormat
    let bytesPerFrame: Int
    /// The frame number of the stream's first byte. Decreased by the silence that the server has taken.
    var base: Int64
    let source: RenderSource
    let cell: PlayheadCell
    let clock = MonotonicClock()
    /// Nil after `close`.
    private(set) var events: (@Sendable (AudioSinkEvent) -> Void)?
    var device: PulseDevice
    /// The name of the present device, known before the device has been looked up.
    var deviceName = ""
    var deviceChanged: ((PulseDevice) -> Void)?

    /// Whether the stream is connected and its device is known.
    private(set) var isOpen = false
    /// The error after the loss of the stream.
    var failure: PlaybackError?
    var isClosed: Bool { events == nil }
    /// Whether the stream is started, by our last command.
    var isStarted = false
    /// Whether writing is suspended: during a flush, and from `hold` until the replacement.
    var isHolding = false
    /// Whether another party suspended the device while the stream ran, and that was reported.
    var wasSuspended = false
    /// Whether the server has no frames left although the stream is started.
    var isDry = false
    /// The frame after the last one before the underrun.
    var dryFrame: Int64 = 0
    var dryTimer: OpaquePointer?
    /// The frame after the last one written.
    var writtenFrames: Int64
    /// The unanswered timing requests, oldest first.
    var questions: [TimingQuestion] = []
    /// The total number of timing requests, and of replies.
    var askedCount = 0
    var answeredCount = 0
    /// The first frame that the server has not taken, after a stop or a flush.
    var landingFrame: Int64?
    /// The server's read index while the stream plays and writing is suspended, as a frame, and the latency from reading to the listener, in seconds.
    var takenWhileHeld: (frame: Int64, latency: Double, isPlaying: Bool)?
    /// The reply to a `probe`: the read index, as a frame, and its host time.
    var probed: (rests: Int64, time: HostTime)?
    /// The knowledge about rewinding the device.
    var rewinding = Rewinding()
    /// The server's read index, as a frame, when a replacement by rewinding began; nil if none is in progress.
    var rewound: Int64?
    /// The stream's byte at which the silence after the last written frame ends; nil without silence.
    var paddingEnd: Int64?
    /// Replies to timing requests up to this number refer to a former `base`.
    var outdatedCount = 0
    /// An underrun at or before this frame is ignored, because more frames follow.
    var probedFrame: Int64?
    var commandFailed = false
    /// The gain that the stream's present volume corresponds to.
    var gain: Float = 1
    /// The gain to set after the reply with the stream's present volume (flat volumes).
    var wantedGain: Float?
    /// Whether the stream should be muted after that reply.
    var wantsMute = false
    /// The volume of gain 1 on the device's scale (flat volumes).
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
        guard let made else { throw mainloop.withLock { mainloop.lastError("PulseAudio could not create a stream.") } }
        stream = made
        cell.store(tracker.playhead)
    }

    deinit { assert(isClosed, "a PulseStream must be closed before it is released") }

    /// Connects the stream, stopped, and waits until it is ready and its device is known.
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
            // An explicit volume, relative to the device's, prevents the server from restoring the volume of another program's stream.
            gain = pulseVolume(volume) > 0 ? volume : 1
            var volumes = pa_cvolume()
            pa_cvolume_set(&volumes, UInt32(format.channelCount), pulseVolume(gain))
            let mute = isMuted || pulseVolume(volume) == 0 ? PA_STREAM_START_MUTED : PA_STREAM_START_UNMUTED
            let flags = PA_STREAM_START_CORKED.rawValue | PA_STREAM_RELATIVE_VOLUME.rawValue | mute.rawValue
            let code = pa_stream_connect_playback(stream, sink, &attributes, pa_stream_flags_t(rawValue: flags), &volumes, nil)
            guard code == 0 else { throw mainloop.lastError("PulseAudio could not create a stream.") }
        }
        var state = PA_STREAM_UNCONNECTED
        let isDecided = mainloop.wait(until: deadline) {
            state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || !state.isGood || failure != nil
        }
        guard isDecided else { throw .pulseTimeout("The PulseAudio server did not respond in time.") }
        guard state == PA_STREAM_READY else {
            throw mainloop.withLock { failure ?? mainloop.lastError("PulseAudio could not create a stream.") }
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
            throw .pulseTimeout("The PulseAudio server did not respond in time.")
        }
        try mainloop.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            isOpen = true
        }
    }

    /// Closes the stream and its mainloop: no callback runs after the return. Idempotent.
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
