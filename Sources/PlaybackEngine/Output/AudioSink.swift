/// A device that takes frames from a `RenderRing` and reports when each frame is heard.
///
/// The engine uses outputs only through this protocol, so that tests can replace the outputs. The engine's thread makes all calls to a sink, one at a
/// time. A call to a sink may block for a round trip to a sound server; after two seconds the call throws `outputUnavailable`.
///
/// For implementers: output frames are numbered consecutively; the first frame that is taken from the source has the number `base` of `open`. `flush`
/// withdraws the frames that the device has not played, and returns the number of the first withdrawn frame. The numbering of output frames continues
/// from the first withdrawn frame.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens the device in the stopped state. `base` is the number of the first frame that the device takes from `source`.
    func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Starts or resumes the device. `start` is idempotent. Playback continues with the frame after the last one that was played.
    func start() throws(PlaybackError)
    /// Stops the device at once and keeps its buffered frames (PulseAudio's cork). `stop` is idempotent.
    func stop() throws(PlaybackError)
    /// Withdraws the frames that can still be replaced, while the device continues to play the frames before them. Calls `source.reset(to:)` with the
    /// number of the first withdrawn frame. After `hold` the device takes no frames until `replace`, which has to be called within milliseconds.
    ///
    /// - Returns: the number of the first withdrawn frame. Returns nil, with nothing changed, in two cases: the device does not play; or the device
    ///   has many frames that it cannot return, so that a listener would hear the effect of `flush` sooner than that of `hold`. If `hold` returns
    ///   nil, the caller uses `flush` or `stop` instead.
    func hold() throws(PlaybackError) -> Int64?
    /// Replaces the frames that `hold` withdrew by the frames that the source has now, from frame number `frame` on, without a gap in the audio.
    ///
    /// - Returns: `frame` if the replacement is complete. If the device has played withdrawn frames in the meantime, `replace` returns the number of
    ///   the frame after them. After an incomplete replacement, the source has been reset to the returned frame, the device is still held, and
    ///   `replace` has to be called again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Stops the device and withdraws all frames that it has not played. Calls `source.reset(to:)` with the number of the first withdrawn frame,
    /// while no `render` is in progress. Returns the number of the first withdrawn frame. After `flush` the device stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// Notifies the sink that the source has new frames. A sink that stopped taking frames because the source was empty takes frames again. A call is
    /// cheap.
    func sourceDidFill()
    /// Notifies the sink that no frames follow those in the source, so that a sink that waits for more frames plays the last ones. A later
    /// `sourceDidFill` continues the audio.
    func sourceDidEnd()
    /// Closes the device. `close` is idempotent. After `close` has returned, no event is sent and no `render` is called.
    func close()
    /// Sets the gain of the stream, 0…1, and whether the stream is muted. The change begins at once, and is a ramp of 20 to 50 ms while the stream is
    /// played; otherwise it is complete at once. Gain and mute also apply to streams that are opened later.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// Sets the purpose of the audio for the sound server. The purpose also applies to streams that are opened later.
    func setRole(_ role: StreamRole)
    /// Sets whether the device keeps its sample rate when the sink is opened for the first time, although it could take the rate of the wanted
    /// format. If so, the first stream has the device's rate. The engine plays nothing in this stream: it reads `sampleRate`, and opens the sink
    /// again with a format of this rate.
    func setKeepsRate(_ keepsRate: Bool)
    /// The latest playhead of the device. Any thread may read the playhead without blocking.
    var playhead: Playhead { get }
    /// The kind, the id and the name of the output, which any thread may read.
    var description: OutputDescription { get }
    /// Whether the audio of this device can be heard.
    var isAudible: Bool { get }
    /// The speakers of the open device; nil if the device accepts any channels unchanged. Any thread may read `speakers`.
    var speakers: ChannelLayout? { get }
    /// The sample rate of the open device, in frames per second; nil if the device has no rate of its own and takes each stream as it is. A stream of
    /// this rate reaches the device without a conversion by a sound server. Any thread may read `sampleRate`.
    var sampleRate: Int? { get }
    /// Whether other programs were playing on the device when it was opened, so that it could not take another sample rate. Any thread may read
    /// `isShared`.
    var isShared: Bool { get }
}

extension AudioSink {
    /// The default for devices that cannot be held: returns nil, so that the engine uses `flush`.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// Has no effect: the default for devices that play their last frames without waiting for more.
    public func sourceDidEnd() {}
    /// The default value: nil, for devices that accept any channels.
    public var speakers: ChannelLayout? { nil }
    /// The default value: nil, for devices without a rate of their own.
    public var sampleRate: Int? { nil }
    /// Has no effect: the default for devices without a rate of their own.
    public func setKeepsRate(_ keepsRate: Bool) {}
    /// The default value: false, for devices that no other program plays on.
    public var isShared: Bool { false }
    /// Ignores the purpose of the audio: the default for devices without a sound server.
    public func setRole(_ role: StreamRole) {}
}

/// The purpose of a stream's audio, for the policies of a sound server: PulseAudio's `media.role` (R-LNX-01). PipeWire accepts the same names of
/// stream roles (R-LNX-06).
public enum StreamRole: String, Sendable, Hashable, CaseIterable {
    case music, video, game, event, phone, animation, production, test
    case accessibility = "a11y"
}

/// An event of an output (`AudioSink`), sent on the output's own thread.
public enum AudioSinkEvent: Sendable {
    /// The device has taken frames from the source, so the source has free capacity again.
    case consumed
    /// An underrun: the running device has no more frames. The event is sent after the device has taken the last frame. If the last frame is heard
    /// later than it is taken, the event is sent again after the last frame was heard.
    case underflow
    /// The connection or the device was lost. The sink is closed and takes no more frames.
    case lost(PlaybackError)
    /// The stream was moved to another device, or the device has another name or another sample rate. `wasRemoved` means that the former device no
    /// longer exists.
    case changed(OutputDescription, wasRemoved: Bool)
    /// The sound server or another program acted on the stream.
    case signal(StreamSignal)
    /// The playhead was corrected. Host times that were computed from the playhead before the correction are no longer valid.
    case corrected
}

/// An act of the sound server or of another program on the stream of an output.
public enum StreamSignal: Sendable, Hashable {
    /// A request of the sound server, under PulseAudio's name: `request-cork` (to pause) or `request-uncork` (to resume) (R-LNX-02, R-LNX-04).
    case event(String)
    /// Another program has suspended the device of the running stream (true), or has resumed the device (false) (R-LNX-25).
    case suspended(Bool)
}
