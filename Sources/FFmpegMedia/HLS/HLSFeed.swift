import HTTPClient
import Platform
import PlaybackEngine
import Synchronization

/// The segments of one playlist, which the thread that transfers them asks for one after the other, and the reader for their places.
final class HLSFeed: Sendable {
    /// The URL of the playlist after redirects, against which the locations in it are resolved.
    private let base: String
    /// Whether the playlist is at a public address, so that it must not name private ones.
    private let isPublic: Bool
    private let source: MediaSource
    private let retryPolicy: RetryPolicy
    let timeline: HLSTimeline

    /// - Parameter address: The address that has sent the playlist.
    init(_ timeline: HLSTimeline, from address: AnsweringAddress.Value, of source: MediaSource, retryPolicy: RetryPolicy) {
        self.timeline = timeline
        base = address.url
        isPublic = address.isPublic
        self.source = source
        self.retryPolicy = retryPolicy
    }

    /// Opens the bytes from the segment `index` on, up to the end of its run, or to a segment that is missing. If the medium is played, they are
    /// transferred ahead, on a thread of their own.
    func open(from index: Int, to end: HLSEnd, isContinuation: Bool, interrupt: Interrupt) throws(PlaybackError) -> any ByteSource {
        try RemoteMedium.transferred(source.monitor, interrupt) { interrupt throws(PlaybackError) in
            let parts = try RemoteParts(self.source, retryPolicy: self.retryPolicy, interrupt: interrupt)
            return try SegmentSource(self, parts, from: index, to: end, isContinuation: isContinuation)
        }
    }

    /// Opens a resource that the playlist names.
    func open(_ location: String, range: Range<Int64>?, _ parts: RemoteParts, isContinuation: Bool) throws(PlaybackError) -> any ByteSource {
        try parts.open(
            RemoteParts.resolve(location, against: base), range: range, allowsPrivateAddresses: !isPublic, isContinuation: isContinuation)
    }
}

/// Where a `SegmentSource` has ended, and what it has found in its first segment. It is written on the thread that transfers, and read on the
/// reader's.
final class HLSEnd: Sendable {
    struct State: Sendable {
        /// The index of the segment after the last one that was read.
        var next: Int
        /// The timestamp of the first packed segment, in ticks of 90 kHz; nil if it has none.
        var timestamp: Int64?
    }
    private let state: Mutex<State>

    init(next: Int) { state = Mutex(State(next: next)) }

    var value: State { state.withLock { $0 } }
    func setNext(_ next: Int) { state.withLock { $0.next = next } }
    func setTimestamp(_ timestamp: Int64?) { state.withLock { $0.timestamp = timestamp } }
}
