import Synchronization

/// What to open, and how careful to be about it.
public struct MediaSource: Sendable, Hashable {
    /// Where the bytes are.
    public enum Location: Sendable, Hashable {
        /// An absolute path of a local file.
        case file(path: String)
        /// An http or https URL.
        case remote(url: String)
    }
    public var location: Location
    /// Scan the whole medium where that is what an exact duration takes (R-ASSET-10, R-ASSET-11).
    public var prefersPreciseDuration: Bool
    /// Whether a file may be reached through symbolic links. Where not, its path must be its very place when it is opened: who checked the path before is
    /// not deceived by a link that has taken the place of a part of it since.
    public var followsLinks = true
    /// Extra request header fields for remote locations.
    public var httpHeaders: [MetadataEntry]
    /// Whether a remote location may resolve to an address of a private network or of this machine.
    public var allowsPrivateAddresses: Bool
    /// Counts what is transferred from a remote location.
    public var meter: TransferMeter?

    public init(_ location: Location, prefersPreciseDuration: Bool = false, httpHeaders: [MetadataEntry] = [], allowsPrivateAddresses: Bool = true) {
        self.location = location
        self.prefersPreciseDuration = prefersPreciseDuration
        self.httpHeaders = httpHeaders
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }
}

/// Lets another thread end a call that blocks inside a reader. Cheap to poll.
public final class Interrupt: Sendable {
    private let flag = Atomic<Bool>(false)
    public init() {}
    public var isRaised: Bool { flag.load(ordering: .acquiring) }
    /// Makes every blocking call of the reader fail soon with `PlaybackError.Code.cancelled`.
    public func raise() { flag.store(true, ordering: .releasing) }
    public func clear() { flag.store(false, ordering: .releasing) }
}

/// Opens media. Implemented by FFmpegMedia, and by PlaybackTesting with scripts.
///
/// For implementers: `open` is called on a thread that may block; it must poll `interrupt` (FFmpeg's interrupt callback) and must treat
/// every byte as hostile. Opening reads what is needed to know `MediaInfo` and nothing more.
public protocol MediaOpener: Sendable {
    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader
}

/// A medium that has been opened. Confined to the thread that opened it (the feeder's), which may block in it.
public protocol AudioReader: AnyObject {
    var info: MediaInfo { get }
    /// What is known of the duration now: it may become exact while reading (R-EOI-08).
    var duration: MediaDuration { get }

    /// Fixes what `read` delivers. Called before the first `read` or `seek`, and where the format is to be another one later, with a `seek` behind it; the
    /// default is `info.format`.
    /// All positions are frames at this format's sample rate.
    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError)

    /// The same for what follows another medium without a gap, whose sound ended `offset` frames (−½…½) behind the last one delivered. The length in
    /// frames is rounded from there, so that media in a row last as long as the sum of their durations, rounded once.
    func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError)

    /// Once `read` has returned nil: how much further than the last frame delivered the sound lasts, frames (−½…½).
    var remainder: Double { get }

    /// The next block, or nil at the end of the medium. Blocks follow each other without gap or overlap until `seek`.
    /// A corrupt packet is skipped and counted, its time is filled with silence; only what cannot go on throws.
    func read() throws(PlaybackError) -> AudioBlock?

    /// Goes to a position. The next block starts at the returned one, which lies in `position - before ... position + after`
    /// (zero tolerances: exactly `position`, sample for sample what uninterrupted reading gives there). A position at or behind the end
    /// makes the next `read` return nil.
    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64

    /// Corrupt packets skipped so far.
    var skippedPackets: Int { get }
}

extension AudioReader {
    public func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError) { try setOutputFormat(format) }
    public var remainder: Double { 0 }
}
