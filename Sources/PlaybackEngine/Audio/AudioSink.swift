import Synchronization

/// Where an output is in playing what it was given: frame `frame` is (or will be, or was) heard at `hostTime`, and from then on
/// one frame each 1/sampleRate seconds while `isRunning`.
///
/// Frames are **output frames**: the count, since the engine started, of frames that a device has taken. A device that is stopped holds `frame`.
/// Where sound starts after a device latency, `hostTime` lies in the future and the playhead rests at `frame` until then.
public struct Playhead: Sendable, Hashable {
    public var frame: Int64
    public var hostTime: HostTime
    public var isRunning: Bool
    public init(frame: Int64, hostTime: HostTime, isRunning: Bool) {
        self.frame = frame
        self.hostTime = hostTime
        self.isRunning = isRunning
    }

    /// The frame heard at `time`, not limited to what has been written.
    public func frame(at time: HostTime, sampleRate: Int) -> Int64 {
        guard isRunning, time > hostTime else { return frame }
        return frame + Int64(((time - hostTime) * Double(sampleRate)).rounded(.down))
    }
}

/// A playhead that one thread stores and any thread loads, without a lock: the one atomic pair (frame, host time).
public final class PlayheadCell: Sendable {
    private let pair = Atomic<WordPair>(WordPair(first: 0, second: 0))
    public init() {}
    public func store(_ playhead: Playhead) {
        let first = UInt(bitPattern: Int(playhead.frame &<< 1)) | (playhead.isRunning ? 1 : 0)
        pair.store(WordPair(first: first, second: UInt(bitPattern: Int(playhead.hostTime.nanoseconds))), ordering: .releasing)
    }
    public func load() -> Playhead {
        let value = pair.load(ordering: .acquiring)
        return Playhead(
            frame: Int64(Int(bitPattern: value.first) >> 1), hostTime: HostTime(nanoseconds: Int64(Int(bitPattern: value.second))),
            isRunning: value.first & 1 == 1)
    }
}

/// What an output is called.
public struct OutputDescription: Sendable, Hashable {
    /// `pulse`, `null`, `file`.
    public var kind: String
    /// The device's stable name (a sink's name, a path), empty where there is none.
    public var id: String
    /// What a person calls it.
    public var name: String
    /// What the sound server says of where it comes out; nil where there is no server.
    public var connector: OutputConnector?
    /// The name of an output.
    ///
    /// - Parameters:
    ///   - kind: `pulse`, `null`, `file`.
    ///   - id: the device's stable name, empty where there is none.
    ///   - name: what a person calls it.
    ///   - connector: what the sound server says of where it comes out.
    public init(kind: String, id: String, name: String, connector: OutputConnector? = nil) {
        self.kind = kind; self.id = id; self.name = name; self.connector = connector
    }
}

/// Where sound comes out of a device, in PulseAudio's words (R-LNX-07).
public struct OutputConnector: Sendable, Hashable {
    /// The type of the device's active port, as `pactl` prints it; nil where it has none.
    public var portType: String?
    /// The module that made the device.
    public var driver: String
    /// `pci`, `usb`, `bluetooth`; nil where that is not known.
    public var bus: String?
    /// A connector.
    ///
    /// - Parameters:
    ///   - portType: the type of the device's active port.
    ///   - driver: the module that made the device.
    ///   - bus: what the device is attached to.
    public init(portType: String?, driver: String, bus: String?) { self.portType = portType; self.driver = driver; self.bus = bus }
}

/// What others do to an output's stream.
public enum StreamSignal: Sendable, Hashable {
    /// The sound server asks something of it, in PulseAudio's words: `request-cork`, `request-uncork` (R-LNX-02, R-LNX-04).
    case event(String)
    /// Somebody else has put the device to sleep under the running stream, or it is awake again (R-LNX-25).
    case suspended(Bool)
}

/// What an output tells, from its own thread.
public enum AudioSinkEvent: Sendable {
    /// Frames were taken from the source: there is room for more.
    case consumed
    /// The device ran dry although it was running: told when it has taken all there is, and, where that is later, when the last frame has been heard.
    case underflow
    /// The connection or the device is gone; the sink is closed and takes nothing more.
    case lost(PlaybackError)
    /// The stream now plays on another device, or the device has another name. `wasRemoved`: the device before is there no longer.
    case changed(OutputDescription, wasRemoved: Bool)
    /// Others did something to the stream.
    case signal(StreamSignal)
    /// The playhead turned out to be elsewhere than it told: what was foretold from it comes at another time.
    case corrected
}

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
