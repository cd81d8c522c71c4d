public import Platform
import Synchronization

/// The location of a medium, and the options for opening it.
public struct MediaSource: Sendable, Hashable {
    /// The location of a medium's bytes.
    public enum Location: Sendable, Hashable {
        /// An absolute path of a local file.
        case file(FilePath)
        /// An http or https URL.
        case remote(url: String)

        /// Returns the location of the file whose path is the UTF-8 of a text.
        public static func file(path: String) -> Location { .file(FilePath(path)) }
    }
    public var location: Location
    /// Whether the opener scans the whole medium if an exact duration requires a scan (R-ASSET-10, R-ASSET-11).
    public var prefersPreciseDuration: Bool
    /// Whether the path of a file may contain symbolic links. If not, opening a path that contains a symbolic link fails, so that nobody can redirect
    /// the opener to another file by replacing a part of the checked path with a link.
    public var followsLinks = true
    /// Additional request header fields for remote locations.
    public var httpHeaders: [MetadataEntry]
    /// Whether a remote location may resolve to an address of a private network or of this machine.
    public var allowsPrivateAddresses: Bool
    /// The greatest number of bits per second of a stream that has several variants; 0 for no limit.
    public var peakBitRate = 0.0
    /// The meter that counts the transfers from a remote location; nil if the transfers are not counted.
    public var meter: TransferMeter?
    /// The monitor of the connection to a remote location. A medium with a monitor is played, so its bytes are transferred ahead; nil for a medium
    /// that is only examined.
    public var monitor: ConnectionMonitor?
    /// The object that receives the progress of long seeks in the medium; nil if nothing uses the progress.
    public var seekProgress: SeekProgress?
    /// The log that receives the metadata in the course of the medium, such as the titles of a radio station; nil if nothing uses them.
    public var timedMetadata: TimedMetadataLog?

    public init(_ location: Location, prefersPreciseDuration: Bool = false, httpHeaders: [MetadataEntry] = [], allowsPrivateAddresses: Bool = true) {
        self.location = location
        self.prefersPreciseDuration = prefersPreciseDuration
        self.httpHeaders = httpHeaders
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }
}

/// A flag by which another thread ends a blocking call of a media reader. Polling the flag is cheap.
public final class Interrupt: Sendable {
    private let flag = Atomic<Bool>(false)
    /// The signals of the threads in `wait`.
    private let waiters = Mutex<[WakeSignal]>([])
    public init() {}
    public var isRaised: Bool { flag.load(ordering: .acquiring) }
    /// Makes every blocking call of the media reader fail soon, with the error `PlaybackError.Code.cancelled`.
    public func raise() {
        flag.store(true, ordering: .releasing)
        waiters.withLock { waiters in
            for signal in waiters { signal.raise() }
        }
    }
    public func clear() { flag.store(false, ordering: .releasing) }

    /// Waits until a host time. Returns false as soon as the interrupt is raised.
    package func wait(until time: HostTime) -> Bool {
        let signal = WakeSignal()
        waiters.withLock { $0.append(signal) }
        defer { waiters.withLock { waiters in waiters.removeAll { $0 === signal } } }
        while !isRaised {
            guard signal.wait(until: time) else { return true }
        }
        return false
    }
}

/// An opener opens media. FFmpegMedia contains the opener of the program; tests use openers with scripted media.
///
/// For implementers: `open` is called on a thread that may block. An opener must poll `interrupt` (FFmpeg's interrupt callback) and must treat every
/// byte of the medium as hostile. An opener reads only the bytes that `MediaInfo` requires.
public protocol MediaOpener: Sendable {
    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader

    /// Reads a picture from a server. The picture is read like a remote medium: the same addresses are permitted, redirects are followed, and failed
    /// transfers are repeated. The default implementation throws `unsupportedFormat`.
    ///
    /// - Parameter source: The picture's URL. Without a `monitor`, failed transfers are repeated for a short time only.
    func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork
}

extension MediaOpener {
    public func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        throw PlaybackError(.unsupportedFormat, "Pictures of servers are not read.")
    }
}

/// An open medium. A reader is used by one thread at a time: first by the opening thread, then by the feeder's thread. The opening thread and the
/// feeder's thread may block in a call of the reader.
public protocol AudioReader: AnyObject {
    var info: MediaInfo { get }
    /// The presently known duration of the medium, which may become exact while the medium is read (R-EOI-08).
    var duration: MediaDuration { get }

    /// Sets the format that `read` delivers; the default is `info.format`. `setOutputFormat` is called before the first `read` or `seek`. If it is
    /// called again later, a `seek` has to follow. All positions are frames at the sample rate of the output format.
    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError)

    /// Sets the format for a medium that is played without a gap after another one. The preceding medium's audio ended `offset` frames (−½…½) after
    /// the last frame that its reader delivered. The new medium's audio begins at exactly that end, which may lie between two frames. Because the end
    /// is not rounded to a frame, rounding errors do not add up over several media.
    func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError)

    /// The time from the end of the last delivered frame to the exact end of the audio, in frames (−½…½). `remainder` is valid after `read` has
    /// returned nil.
    var remainder: Double { get }

    /// Sets whether the reader keeps back the last frames of the medium until `finish` is called. If the sample rate is converted, these frames
    /// depend on the beginning of the medium that follows without a gap. If `isOpen` is true, `read` returns nil before these frames; after `finish`,
    /// it returns them.
    func keepEndOpen(_ isOpen: Bool)

    /// Whether `read` has returned nil before the last frames of the medium, which `read` returns after `finish`.
    var awaitsFollower: Bool { get }

    /// Lets `read` return the last frames of the medium.
    ///
    /// - Parameter next: the reader of the medium that follows without a gap, at its start and with the same output format; nil if none follows.
    func finish(with next: (any AudioReader)?) throws(PlaybackError)

    /// Returns the next block of audio; nil after the end of the medium. Consecutive blocks have no gap or overlap, except after a `seek`. A corrupt
    /// packet is skipped and counted, and silence replaces its audio. Throws an error only if reading cannot continue.
    func read() throws(PlaybackError) -> AudioBlock?

    /// Moves the reader to a media position, in frames. Returns the position of the next block, which is in `position - before ... position + after`.
    /// With zero tolerances, the next block begins exactly at `position`, and its samples are equal to those of uninterrupted reading. If `position`
    /// is at or after the medium's end, the next `read` returns nil.
    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64

    /// Moves the reader like `seek(to:before:after:)`. If `allowsEstimate` is true and an exact position would need the transfer of many bytes from a
    /// server, the position may rest on an estimate (`isPositionEstimated`).
    func seek(to position: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64

    /// Whether the positions of the blocks since the last seek are only estimated.
    var isPositionEstimated: Bool { get }

    /// Examines a portion of the rest of the medium, so that `duration` becomes exact before the end is read (R-ASSET-16). The position does not
    /// change. Returns whether another portion follows. The feeder calls `examine` while enough audio has been read ahead.
    ///
    /// An error ends only the examination. `read` fails after it has reached the position of the error.
    func examine() throws(PlaybackError) -> Bool

    /// The number of corrupt packets of the medium that were skipped so far.
    var skippedPackets: Int { get }
}

extension AudioReader {
    /// The default for readers that begin at whole frames. It ignores `offset`, so the joint is up to half a frame off.
    public func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError) { try setOutputFormat(format) }
    public var remainder: Double { 0 }
    public var isPositionEstimated: Bool { false }
    /// The default for readers whose duration does not become exact by an examination.
    public func examine() throws(PlaybackError) -> Bool { false }
    /// Seeks without tolerances.
    func seek(to position: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        try seek(to: position, before: 0, after: 0, allowsEstimate: allowsEstimate)
    }
    public func seek(to position: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        try seek(to: position, before: before, after: after)
    }
    /// The default for readers whose last frames do not depend on other media.
    public func keepEndOpen(_ isOpen: Bool) {}
    public var awaitsFollower: Bool { false }
    public func finish(with next: (any AudioReader)?) throws(PlaybackError) {}
}
