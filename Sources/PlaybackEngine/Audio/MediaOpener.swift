import Synchronization

/// A medium to open, and how to open it.
public struct MediaSource: Sendable, Hashable {
    /// The location of the bytes.
    public enum Location: Sendable, Hashable {
        /// An absolute path of a local file.
        case file(path: String)
        /// An http or https URL.
        case remote(url: String)
    }
    public var location: Location
    /// Whether to scan the whole medium if an exact duration requires that (R-ASSET-10, R-ASSET-11).
    public var prefersPreciseDuration: Bool
    /// Whether the path of a file may contain symbolic links. If false, opening fails if the path contains one at that time. So a link that has
    /// replaced a part of the path since it was checked cannot lead to another file.
    public var followsLinks = true
    /// Additional request header fields for remote locations.
    public var httpHeaders: [MetadataEntry]
    /// Whether a remote location may resolve to an address of a private network or of this machine.
    public var allowsPrivateAddresses: Bool
    /// The meter that counts the transfers from a remote location.
    public var meter: TransferMeter?

    public init(_ location: Location, prefersPreciseDuration: Bool = false, httpHeaders: [MetadataEntry] = [], allowsPrivateAddresses: Bool = true) {
        self.location = location
        self.prefersPreciseDuration = prefersPreciseDuration
        self.httpHeaders = httpHeaders
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }
}

/// A flag by which another thread ends a blocking call of a reader. Cheap to poll.
public final class Interrupt: Sendable {
    private let flag = Atomic<Bool>(false)
    public init() {}
    public var isRaised: Bool { flag.load(ordering: .acquiring) }
    /// Makes every blocking call of the reader fail soon, with the error `PlaybackError.Code.cancelled`.
    public func raise() { flag.store(true, ordering: .releasing) }
    public func clear() { flag.store(false, ordering: .releasing) }
}

/// Opens media. Implemented by FFmpegMedia, and by PlaybackTesting with scripts.
///
/// For implementers: `open` is called on a thread that may block. It must poll `interrupt` (FFmpeg's interrupt callback) and must treat every byte as
/// hostile. It reads only what `MediaInfo` requires.
public protocol MediaOpener: Sendable {
    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader
}

/// An open medium. Used by one thread at a time: first by the opening thread, then by the feeder's thread. Both threads may block in a call.
public protocol AudioReader: AnyObject {
    var info: MediaInfo { get }
    /// The duration that is known now. It may become exact while the medium is read (R-EOI-08).
    var duration: MediaDuration { get }

    /// Sets the format that `read` delivers; the default is `info.format`. The first call precedes the first `read` or `seek`. After a later call, a
    /// `seek` has to follow. All positions are frames at the sample rate of this format.
    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError)

    /// Sets the format for a medium that follows another one without a gap. The audio of the preceding medium ended `offset` frames (−½…½) after its
    /// last delivered frame. This medium begins at that time, and its end is rounded to a frame. So consecutive media last as long as the sum of
    /// their durations, rounded once.
    func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError)

    /// The time from the end of the last delivered frame to the end of the audio, in frames (−½…½). It is valid after `read` has returned nil.
    var remainder: Double { get }

    /// Returns the next block, or nil at the end of the medium. Blocks follow each other without gap or overlap until `seek`. A corrupt packet is
    /// skipped and counted, and silence fills its time. Throws only if reading cannot continue.
    func read() throws(PlaybackError) -> AudioBlock?

    /// Moves to a media position, in frames. Returns the position of the next block, which lies in `position - before ... position + after`. With
    /// zero tolerances the result is exactly `position`, and the samples are equal to those of uninterrupted reading. If `position` is at or after
    /// the end, the next `read` returns nil.
    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64

    /// The number of corrupt packets skipped so far.
    var skippedPackets: Int { get }
}

extension AudioReader {
    public func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError) { try setOutputFormat(format) }
    public var remainder: Double { 0 }
}
