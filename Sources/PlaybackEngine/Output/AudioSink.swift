/// A device that takes frames from a `RenderRing` and reports when each frame is heard.
///
/// The engine's thread makes all calls, one at a time. A call may block for a round trip to a sound server; after two seconds it throws
/// `outputUnavailable`.
///
/// For implementers: output frames are numbered consecutively, from `base` of `open`; after `flush` the numbering continues from the first withdrawn
/// frame.
public protocol AudioSink: AnyObject, Sendable {
    /// In the stopped state. `base` is the number of the first frame from `source`.
    func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Idempotent. Continues with the frame after the last one that was played.
    func start() throws(PlaybackError)
    /// At once, and keeps the buffered frames (PulseAudio's cork). Idempotent.
    func stop() throws(PlaybackError)
    /// Withdraws the frames that can still be replaced, while the device plays those before them, and calls `source.reset(to:)` with the number of
    /// the first. Then the device takes nothing until `replace`, which has to follow within milliseconds.
    /// - Returns: The number of the first withdrawn frame. Nil, with nothing changed, if the device does not play, or has so many frames that it
    ///   cannot
    ///   return that the effect of `flush` is heard sooner; the caller then uses `flush` or `stop`.
    func hold() throws(PlaybackError) -> Int64?
    /// Replaces the frames that `hold` withdrew by those in the source, from `frame` on, without a gap.
    /// - Returns: `frame` if the replacement is complete. If the device has played withdrawn frames, the number after them: the source has been reset
    ///   to
    ///   it, the device is still held, and `replace` has to be called again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Withdraws all frames that were not played, and calls `source.reset(to:)` with the number of the first, while no `render` is in progress.
    /// Returns it; the device stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// A sink that stopped taking frames because the source was empty takes frames again. Cheap.
    func sourceDidFill()
    /// No frames follow those in the source, so that a sink that waits for more plays the last ones. A later `sourceDidFill` continues the audio.
    func sourceDidEnd()
    /// Idempotent. Afterwards no event is sent and no `render` is called.
    func close()
    /// 0…1. Begins at once, as a ramp of 20 to 50 ms while the stream is played. Also applies to later streams.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// Also applies to later streams.
    func setRole(_ role: StreamRole)
    /// Whether the first stream has the device's rate, although the device could take that of the format. The engine plays nothing in it: it reads
    /// `sampleRate`, and opens the sink again.
    func setKeepsRate(_ keepsRate: Bool)
    /// Any thread, without blocking.
    var playhead: Playhead { get }
    /// Any thread.
    var description: OutputDescription { get }
    /// The audio can be heard.
    var isAudible: Bool { get }
    /// Nil if the device accepts any channels unchanged. Any thread.
    var speakers: ChannelLayout? { get }
    /// In frames per second: a stream of this rate is not converted by a sound server. Nil if the device takes each stream as it is. Any thread.
    var sampleRate: Int? { get }
    /// Other programs played when the device was opened, so that it could not take another rate. Any thread.
    var isShared: Bool { get }
}

extension AudioSink {
    /// For devices that cannot be held.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// For devices that play their last frames without waiting for more.
    public func sourceDidEnd() {}
    /// For devices that accept any channels.
    public var speakers: ChannelLayout? { nil }
    /// For devices without a rate of their own.
    public var sampleRate: Int? { nil }
    /// For devices without a rate of their own.
    public func setKeepsRate(_ keepsRate: Bool) {}
    /// For devices that no other program plays on.
    public var isShared: Bool { false }
    /// For devices without a sound server.
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
    /// The running device has no more frames. Sent after it has taken the last one, and again after that was heard, if later.
    case underflow
    /// The sink is closed.
    case lost(PlaybackError)
    /// Another device, or another name or rate of it. `wasRemoved`: the former device no longer exists.
    case changed(OutputDescription, wasRemoved: Bool)
    case signal(StreamSignal)
    /// Host times that were computed from the playhead before are no longer valid.
    case corrected
}

/// An act of the sound server or another program on a stream.
public enum StreamSignal: Sendable, Hashable {
    /// PulseAudio's `request-cork` (to pause) or `request-uncork` (to resume) (R-LNX-02, R-LNX-04).
    case event(String)
    /// Another program has suspended the device of the running stream, or resumed it (R-LNX-25).
    case suspended(Bool)
}
