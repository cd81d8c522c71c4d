/// A device that pulls frames from a `RenderSource` and says when each is heard.
///
/// The engine needs only this much of an output; it exists so that the engine is tested without one. Calls come from the engine's thread,
/// one at a time, and may block for a round trip to a sound server (never longer than two seconds: then `outputUnavailable`).
///
/// For implementers: output frames are numbered from `base` at `open`, on and on, one for each frame taken from the source; `flush` takes
/// back what has not been taken by the device and returns the first of those numbers, where numbering goes on.
public protocol AudioSink: AnyObject, Sendable {
    /// Opens the device, stopped. Frame number `base` is the first that it will take from `source`.
    func open(_ format: AudioFormat, source: RenderSource, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) throws(PlaybackError)
    /// Starts or resumes. Idempotent. Sound continues with the very frame that was next when it stopped.
    func start() throws(PlaybackError)
    /// Stops at once and keeps what is buffered (PulseAudio's cork). Idempotent.
    func stop() throws(PlaybackError)
    /// Gives back what the device has not taken while it plays on with what it has: calls `source.reset(to:)` with the first frame that may still be
    /// replaced and renders nothing until `replace`, which is to follow within milliseconds. Returns that number.
    ///
    /// Nil, and nothing has happened, where the device does not play or holds much that it would not give back: then `flush` is heard sooner.
    func hold() throws(PlaybackError) -> Int64?
    /// Puts what the source has now in the place of what `hold` gave back, from that frame on, without a break in the sound.
    ///
    /// - Returns: `frame`; or a later frame where the device was quicker and played up to that what it had had. Then that is the frame held,
    ///   the source has been reset to it, and `replace` is due again.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64
    /// Stops, withdraws every frame that the device has not really taken, and calls `source.reset(to:)` with the first such frame's number
    /// while no `render` is under way. Returns that number. The sink stays stopped until `start`.
    func flush() throws(PlaybackError) -> Int64
    /// The source has new frames; a sink that found it empty pulls again. Cheap.
    func sourceDidFill()
    /// Closes the device. Idempotent; no event and no render comes after it returns.
    func close()
    /// The gain of this stream, 0…1, heard at once; `isMuted` is independent of it. Kept for a stream opened later.
    func setVolume(_ volume: Float, isMuted: Bool)
    /// What this stream's sound is for; kept for a stream opened later.
    func setRole(_ role: StreamRole)
    /// The latest playhead. Callable from any thread, without blocking.
    var playhead: Playhead { get }
    /// Callable from any thread.
    var description: OutputDescription { get }
    /// Whether what this device plays can be heard by anybody.
    var isAudible: Bool { get }
    /// The speakers that the open device has; nil where it takes any channels as they are. Callable from any thread.
    var speakers: ChannelLayout? { get }
}

extension AudioSink {
    /// A device that cannot do it: `flush` takes its place.
    public func hold() throws(PlaybackError) -> Int64? { nil }
    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 { frame }
    /// A device without speakers of its own.
    public var speakers: ChannelLayout? { nil }
    /// A device that serves nobody else does not care.
    public func setRole(_ role: StreamRole) {}
}
