/// A device that takes frames from a `RenderRing` and reports when each frame is heard.
///
/// The engine's thread makes all calls, one at a time. A call may block for a round trip to a sound server, and throws `outputUnavailable`
/// after two seconds.
///
/// For implementers: output frames are numbered consecutively, from `base` of `open`; after `flush` the numbers continue from the
/// first withdrawn frame.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens a stream, which is stopped. `base` is the number of the first frame from `source`.
    func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Starts the device, which continues with the frame after the last one that was played. No effect if it runs.
    func start() throws(PlaybackError)
    /// Stops the device at once, and keeps the buffered frames (PulseAudio's cork). No effect if it is stopped.
    func stop() throws(PlaybackError)
    /// Withdraws the frames that can still be replaced, while the device plays those before them, and calls `source.reset(to:)` with the number of
    /// the first. Then the device takes nothing until `replace`, which has to follow within milliseconds.
    /// - Returns: The number of the first withdrawn frame. Nil, with nothing changed, if the device does not play, or has so many frames that it
    ///   cannot return that the effect of `flush` is heard sooner; the caller then uses `flush` or `stop`.
    func hold() throws(PlaybackError) -> Int64?
    /// Replaces the frames that `hold` withdrew by those in the source, from `frame` on, without a gap.
    /// - Returns: `frame` if the replacement is complete. If the device has played withdrawn frames, the number after them: the source has been reset
    ///   to it, the device is still held, and `replace` has to be called again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Withdraws all frames that were not played, and calls `source.reset(to:)` with the number of the first, while no `render` is in progress.
    /// Returns this number; the device stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// Makes a sink that stopped taking frames because the source was empty take frames again. The call is cheap.
    func sourceDidFill()
    /// States that no frames follow those in the source, so that a sink that waits for more plays the last ones. A later `sourceDidFill`
    /// continues the audio.
    func sourceDidEnd()
    /// Closes the sink. Afterwards no event is sent and no `render` is called; further calls have no effect.
    func close()
    /// Sets the volume, 0…1: at once, as a ramp of 20 to 50 ms while the stream is played. Also applies to later streams.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// Sets the role, also of later streams.
    func setRole(_ role: StreamRole)
    /// Sets whether the first stream has the device's rate, although the device could take the rate of the format. The engine plays nothing in that
    /// stream: it reads `sampleRate`, and opens the sink again at that rate.
    func setKeepsRate(_ keepsRate: Bool)
    /// The frame that is heard at a host time. May be read on any thread, without blocking.
    var playhead: Playhead { get }
    /// The time from the server's or device's taking of a frame until it is heard, in seconds, as it was measured last; 0 if it is not known. May be
    /// read on any thread, without blocking.
    var latency: Double { get }
    /// The time between two requests of the server or device for frames, in seconds; 0 if it is closed, or has no buffer of its own. May be read on
    /// any thread.
    var requestInterval: Double { get }
    /// The volume of the device for all programs, 0…1 on the sound server's scale, and 0 while it is muted; 1 if the device has none. The event
    /// `deviceVolumeChanged` reports its change. May be read on any thread.
    var deviceVolume: Float { get }
    /// The description of the output. May be read on any thread.
    var description: OutputDescription { get }
    var isAudible: Bool { get }
    /// The speakers of the device; nil if it accepts any channels unchanged. May be read on any thread.
    var speakers: ChannelLayout? { get }
    /// The device's rate, in frames per second: a sound server does not convert a stream of this rate. Nil if the device takes each stream as it is.
    /// May be read on any thread.
    var sampleRate: Int? { get }
    /// Whether other programs played when the device was opened, so that it could not take another rate. May be read on any thread.
    var isShared: Bool { get }
}

extension AudioSink {
    /// The default for devices that cannot be held.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// The default for devices that play their last frames without waiting for more.
    public func sourceDidEnd() {}
    /// The default for devices without a latency of their own.
    public var latency: Double { 0 }
    /// The default for devices without a buffer of their own.
    public var requestInterval: Double { 0 }
    /// The default for devices without a volume.
    public var deviceVolume: Float { 1 }
    /// The default for devices that accept any channels.
    public var speakers: ChannelLayout? { nil }
    /// The default for devices without a rate of their own.
    public var sampleRate: Int? { nil }
    /// The default for devices without a rate of their own.
    public func setKeepsRate(_ keepsRate: Bool) {}
    /// The default for devices that no other program plays on.
    public var isShared: Bool { false }
    /// The default for devices without a sound server.
    public func setRole(_ role: StreamRole) {}
}

/// The purpose of a stream, for the policies of a sound server: `media.role` of PulseAudio (R-LNX-01) and PipeWire (R-LNX-06).
public enum StreamRole: String, Sendable, Hashable, CaseIterable {
    case music, video, game, event, phone, animation, production, test
    case accessibility = "a11y"
}

/// An event of an output (`AudioSink`), sent on the output's own thread.
public enum AudioSinkEvent: Sendable {
    /// The source has free capacity again.
    case consumed
    /// The running device has no more frames. Sent after the device has taken the last frame, and again after that frame was heard, if that is later.
    case underflow
    /// The output failed, and the sink is closed.
    case lost(PlaybackError)
    /// The stream has another device, or its device another name or rate. `wasRemoved`: the former device no longer exists.
    case changed(OutputDescription, wasRemoved: Bool)
    case signal(StreamSignal)
    /// Another program has set the volume, 0…1, or the mute of the stream. The sink keeps both until `setVolume`.
    case volumeChanged(Float, isMuted: Bool)
    /// The volume of the device has changed (`AudioSink.deviceVolume`).
    case deviceVolumeChanged
    /// Host times that were computed from the playhead before are no longer valid.
    case corrected
}

/// An act of the sound server or another program on a stream.
public enum StreamSignal: Sendable, Hashable {
    /// PulseAudio requests a pause (`request-cork`) or its end (`request-uncork`) (R-LNX-02, R-LNX-04).
    case event(String)
    /// Another program has suspended the device of the running stream, or resumed it (R-LNX-25).
    case suspended(Bool)
}
