import HTTPClient
import Platform
import PlaybackEngine
import Synchronization

/// The segments of one playlist, which the thread that transfers them asks for one after the other, and the reader for their places. The playlist of
/// a live stream is loaded again by the thread that transfers.
final class HLSFeed: Sendable {
    private struct State {
        var timeline: HLSTimeline
        /// The address of the newest playlist, against which the locations in it are resolved. If it is public, it must not name private ones.
        var address: AnsweringAddress.Value
    }
    private let state: Mutex<State>
    /// The URL at which the playlist is loaded again.
    private let url: String
    /// Whether a playlist from a public address has named the URL. A user may name a private URL that leads to a public server.
    private let isNamedByPublic: Bool
    private let variables: HLSVariables
    private let source: MediaSource
    /// Whether the medium is played, and not only examined.
    var isPlayed: Bool { source.monitor != nil }
    private let retryPolicy: RetryPolicy
    /// The stated duration after which a `SegmentSource` with a map ends, in seconds.
    let longest: Double
    let isLive: Bool

    /// - Parameters:
    ///   - playlist: The playlist, which was requested at `time` from `url`, and has come from `address`.
    ///   - variables: The variables of the master playlist that named it.
    init(
        _ playlist: HLSMedia, at url: String, isNamedByPublic: Bool, from address: AnsweringAddress.Value, requestedAt time: HostTime,
        importing variables: HLSVariables, of source: MediaSource, retryPolicy: RetryPolicy, longest: Double = 3600
    ) {
        let timeline = HLSTimeline(playlist, at: time)
        state = Mutex(State(timeline: timeline, address: address))
        isLive = timeline.isLive
        self.url = url
        self.isNamedByPublic = isNamedByPublic
        self.variables = variables
        self.source = source
        self.retryPolicy = retryPolicy
        self.longest = longest
    }

    var timeline: HLSTimeline { state.withLock { $0.timeline } }

    /// Opens the bytes from the segment `index` on, up to the end of its run, or to a segment that is missing. If the medium is played, they are
    /// transferred ahead, on a thread of their own. Throws `fileNotFound` if the server does not have the segment.
    func open(from index: Int, to end: HLSEnd, isContinuation: Bool, interrupt: Interrupt) throws(PlaybackError) -> any ByteSource {
        try RemoteMedium.transferred(source.monitor, interrupt) { interrupt throws(PlaybackError) in
            let parts = try RemoteParts(self.source, retryPolicy: self.retryPolicy, isLive: self.isLive, interrupt: interrupt)
            do throws(PlaybackError) { return try SegmentSource(self, parts, from: index, to: end, isContinuation: isContinuation) } catch {
                guard isContinuation, parts.isMissing(error) else { throw error }
                var missing = error
                missing.code = .fileNotFound
                throw missing
            }
        }
    }

    // MARK: The thread that transfers

    /// Opens a resource that the playlist names.
    func open(_ location: String, range: Range<Int64>?, _ parts: RemoteParts, isContinuation: Bool) throws(PlaybackError) -> any ByteSource {
        let address = state.withLock { $0.address }
        return try parts.open(
            RemoteParts.resolve(location, against: address.url), range: range, allowsPrivateAddresses: !address.isPublic,
            isContinuation: isContinuation)
    }

    /// The place of the segment `index`; nil if the stream has ended before it, or if it has left the window. In a live stream, waits until the
    /// playlist has the segment, however long that takes if it is played; an examination throws the reason why it does not come.
    func place(_ index: Int, _ parts: RemoteParts) throws(PlaybackError) -> HLSTimeline.Place? {
        var attempt = 0
        defer { if attempt > 0 { parts.setWait(nil) } }
        while true {
            let timeline = timeline, place = timeline[index]
            guard let time = timeline.reloadTime else { return place }
            if parts.now < time {
                if let place { return place }
                if let first = timeline.places.first?.index, index < first { return nil }
                try parts.wait(until: time)
            }
            do throws(PlaybackError) {
                try reload(parts)
                // A stream whose playlist does not change although its last segment should have been followed is awaited with this reason.
                guard parts.now - self.timeline.changeTime > HLSFeed.patience * timeline.targetDuration else { continue }
                throw HLSFeed.stopped
            } catch {
                if error.code == .cancelled { throw error }
                attempt += 1
                let next = parts.now + timeline.targetDuration / 2
                parts.setWait(ConnectionMonitor.Wait(error: error, attempt: attempt, retryTime: next))
                let present = self.timeline
                if let place = present[index] { return place }
                if let first = present.places.first?.index, index < first { return nil }
                if source.monitor == nil { throw error }
                try parts.wait(until: next)
            }
        }
    }

    /// The time without a change after which a playlist has stopped, in target durations (RFC 8216, section 6.2.1, permits one and a half).
    private static let patience = 2.0
    private static let stopped = PlaybackError(.network, "The live stream has stopped: its server adds no segments.", reason: .unavailable)

    private func reload(_ parts: RemoteParts) throws(PlaybackError) {
        let time = parts.now
        let (content, address) = try HLSOpening.load(url, isNamedByPublic: isNamedByPublic, parts, isContinuation: true)
        guard case .media(let media) = try HLSOpening.playlist(content, from: address, importing: variables) else {
            throw HLSOpening.error(.notPlaylist)
        }
        state.withLock { state in
            let wasPublic = state.address.isPublic
            state.address = address
            // What a public server has named once is never private.
            state.address.isPublic = address.isPublic || wasPublic
            state.timeline.update(media, at: time)
        }
    }
}

/// Where a `SegmentSource` has ended, and what it has found in its first segment. It is written on the thread that transfers, and read on the
/// reader's.
final class HLSEnd: Sendable {
    struct State: Sendable {
        /// The index of the segment after the last one that was read.
        var next: Int
        /// The media time of the first segment, in seconds. The segment may have left the window since.
        var start = 0.0
        /// The timestamp of the first packed segment, in ticks of 90 kHz; nil if it has none.
        var timestamp: Int64?
        /// Whether the source has ended because it has become long, and the next segment continues it.
        var isPaused = false
        /// Whether the source has ended within a segment, because the server no longer has the rest.
        var isCut = false
    }
    private let state: Mutex<State>
    /// The index of the segment before which the source does not end for its length, so that it goes further than the source that it continues.
    let least: Int

    init(next: Int, least: Int) {
        state = Mutex(State(next: next))
        self.least = least
    }

    var value: State { state.withLock { $0 } }
    func setNext(_ next: Int) { state.withLock { $0.next = next } }
    func pause() { state.withLock { $0.isPaused = true } }
    func cut() { state.withLock { $0.isCut = true } }
    func begin(at start: Double, timestamp: Int64?) {
        state.withLock {
            $0.start = start
            $0.timestamp = timestamp
        }
    }
}
