/// A device that takes frames from a `RenderSource` and reports when each frame is heard.
///
/// The engine uses outputs only through this protocol, so that tests can replace them. The engine's thread makes the calls, one at a time. A call may
/// block for a round trip to a sound server, at most two seconds. After that time the call throws `outputUnavailable`.
///
/// For implementers: output frames are numbered consecutively from the `base` of `open`, one for each frame taken from the source. `flush` withdraws
/// the frames that the device has not played, and returns the number of the first. Numbering continues from there.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens the device in the stopped state. `base` is the number of the first frame that the device takes from `source`.
    func open(_ format: AudioFormat, source: RenderSource, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Starts or resumes the device. Idempotent. Playback continues with the frame after the last one that was played.
    func start() throws(PlaybackError)
    /// Stops the device at once and keeps its buffered frames (PulseAudio's cork). Idempotent.
    func stop() throws(PlaybackError)
    /// Withdraws the frames that can still be replaced, while the device continues to play those before them. Calls `source.reset(to:)` with the
    /// number of the first withdrawn frame. The device takes no frames until `replace`, which has to follow within milliseconds.
    ///
    /// - Returns: the number of the first withdrawn frame. Nil, with nothing changed, if the device does not play, or if it has many frames that it
    ///   cannot return. The caller then uses `flush`, whose effect is heard sooner.
    func hold() throws(PlaybackError) -> Int64?
    /// Replaces the frames that `hold` withdrew by the present frames of the source, from `frame` on, without a gap in the audio.
    ///
    /// - Returns: `frame` if the replacement is complete. If the device was faster and has played withdrawn frames, the number of the frame after
    ///   them. The source has then been reset to that frame, the device is held, and `replace` has to be called again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Stops the device and withdraws all frames that it has not played. Calls `source.reset(to:)` with the number of the first withdrawn frame,
    /// while no `render` is in progress. Returns that number. The device stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// Notifies the sink that the source has new frames. If the sink has found the source empty, it takes frames again. Cheap.
    func sourceDidFill()
    /// Closes the device. Idempotent. After `close` has returned, no event is sent and no `render` is called.
    func close()
    /// Sets the gain of the stream, 0…1, and whether the stream is muted. Both take effect at once, and apply to streams that are opened later.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// Sets the purpose of the audio for the sound server. The purpose also applies to streams that are opened later.
    func setRole(_ role: StreamRole)
    /// The latest playhead of the device. Any thread may read it; reading does not block.
    var playhead: Playhead { get }
    /// The names of the output. Any thread may read them.
    var description: OutputDescription { get }
    /// Whether the audio of this device can be heard.
    var isAudible: Bool { get }
    /// The speakers of the open device; nil if the device accepts any channels unchanged. Any thread may read them.
    var speakers: ChannelLayout? { get }
}

extension AudioSink {
    /// The default for devices that cannot be held: returns nil. The engine then uses `flush`.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// The default for devices without speakers of their own: nil.
    public var speakers: ChannelLayout? { nil }
    /// The default for devices without a sound server: does nothing.
    public func setRole(_ role: StreamRole) {}
}
