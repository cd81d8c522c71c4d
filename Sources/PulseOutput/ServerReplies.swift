import Platform
import PlaybackEngine

/// A request for the stream's timing.
struct TimingRequest {
    enum Purpose {
        /// To correct the playhead while the stream plays.
        case track
        /// To get the read index after the command.
        case start, stop, flush
        /// To get the next frame that the server takes, for a replacement.
        case splice
        /// To learn how far the device was rewound.
        case probe
    }

    let purpose: Purpose
    let sentAt: HostTime
}

/// Timing requests without reply, in order, and the replies for which commands wait. Needs the lock.
final class ServerReplies {
    /// The reply to a request with the purpose `splice`.
    struct ReadIndex {
        /// The next frame that the server takes.
        let frame: Int64
        /// The time from the server's reading of the frame until it is heard, in seconds.
        let latency: Double
        let isPlaying: Bool
    }
    /// The reply to a request with the purpose `probe`.
    struct Probe {
        /// The next frame that the server takes.
        let frame: Int64
        /// The host time at which `frame` was valid.
        let time: HostTime
    }

    /// The requests in the order in which they were sent.
    private var pending: [TimingRequest] = []
    private(set) var requestCount = 0
    private var replyCount = 0
    /// The number of requests that were sent before the frames were renumbered; their replies are outdated.
    private var outdatedCount = 0
    /// The lowest frame that the server has not taken, after a stop or a flush.
    private(set) var landingFrame: Int64?
    /// The reply to the last request with the purpose `splice`; nil before it arrives, and if the stream was stopped.
    private(set) var readIndex: ReadIndex?
    /// The reply to the last request with the purpose `probe`; nil before it arrives.
    private(set) var probe: Probe?
    /// Whether a command was refused since `beginCommands`.
    private(set) var hasRefusal = false

    var isComplete: Bool { pending.isEmpty }
    /// Whether the last reply is to a request that was sent after the renumbering.
    var isUpToDate: Bool { replyCount > outdatedCount }
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Forgets the results of earlier commands; called before new commands.
    func beginCommands() {
        landingFrame = nil
        hasRefusal = false
    }

    func expectReadIndex() { readIndex = nil }

    func expectProbe() { probe = nil }

    func requestWasSent(_ request: TimingRequest) {
        pending.append(request)
        requestCount += 1
    }

    /// Marks the requests so far as outdated, because the replies to them have the former frame numbers.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Counts a reply, and returns the oldest request, to which it belongs.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    /// Stores the lowest frame that the server has not taken, after a stop or a flush.
    func landed(at frame: Int64) { landingFrame = frame }
    /// - Parameter index: Nil if the stream was stopped.
    func found(_ index: ReadIndex?) { readIndex = index }
    func found(_ probe: Probe) { self.probe = probe }
    func commandWasRefused() { hasRefusal = true }
}
