/// A device that pulls frames from a `RenderSource` and reports when each is heard.
///
/// The engine uses outputs only through this protocol, so that tests can replace them. The engine's thread makes the calls, one at a time. A call may
/// block for a round trip to a sound server, at most two seconds; then it throws `outputUnavailable`.
///
/// For implementers: output frames are numbered consecutively from the `base` of `open`, one for each frame taken from the source. `flush` withdraws
/// the frames that the device has not taken and returns the number of the first, from which numbering continues.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens the device in the stopped state. `base` is the number of the first frame that it takes from `source`.
    func open(_ format: AudioFormat, source: RenderSource, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Starts or resumes. Idempotent. Playback continues with the frame that was next when it stopped.
    func start() throws(PlaybackError)
    /// Stops at once and keeps the buffered frames (PulseAudio's cork). Idempotent.
    func stop() throws(PlaybackError)
    /// Withdraws the frames that the device has not taken, while it continues to play those that it has. Calls `source.reset(to:)` with the number of
    /// the first frame that may still be replaced. Renders nothing until `replace`, which has to follow within milliseconds.
    ///
    /// - Returns: that number. Nil if the device does not play, or has many frames that it cannot return: then nothing has changed, and the effect of
    ///   `flush` is heard sooner.
    func hold() throws(PlaybackError) -> Int64?
    /// Replaces the frames that `hold` withdrew by those that the source has now, from that frame on, without a gap in the audio.
    ///
    /// - Returns: `frame`; or a later frame, if the device was faster and has played its former frames up to that one. Then the device is held from
    ///   the later frame on, the source has been reset to it, and `replace` has to be called again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Stops, withdraws all frames that the device has not yet played, and calls `source.reset(to:)` with the number of the first while no `render`
    /// is in progress. Returns that number. The sink stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// Notifies the sink that the source has new frames. A sink that found the source empty pulls again. Cheap.
    func sourceDidFill()
    /// Closes the device. Idempotent. After it returns, no event is sent and no `render` is called.
    func close()
    /// Sets the gain of the stream, 0…1, and independently whether it is muted. Takes effect at once, and applies to streams that are opened later.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// Sets the purpose of the stream's audio, also for streams that are opened later.
    func setRole(_ role: StreamRole)
    /// The latest playhead. Any thread; does not block.
    var playhead: Playhead { get }
    /// The names of the output. Any thread.
    var description: OutputDescription { get }
    /// Whether the audio of this device can be heard.
    var isAudible: Bool { get }
    /// The speakers of the open device; nil if it accepts any channels unchanged. Any thread.
    var speakers: ChannelLayout? { get }
}

extension AudioSink {
    /// Returns nil, for devices that cannot be held. The engine then uses `flush`.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// Nil, for devices without speakers of their own.
    public var speakers: ChannelLayout? { nil }
    /// Does nothing, for devices without other streams.
    public func setRole(_ role: StreamRole) {}
}
