import Platform
import PlaybackEngine

/// A request for the stream's timing.
struct TimingRequest {
    enum Purpose {
        /// The playhead, while the stream plays.
        case track
        /// The read index after the command.
        case start, stop, flush
        /// The next frame that the server takes, for a replacement.
        case splice
        /// How far the device was rewound.
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
        /// The time from its reading until it is heard, in seconds.
        let latency: Double
        let isPlaying: Bool
    }
    /// The reply to a request with the purpose `probe`.
    struct Probe {
        /// The next frame that the server takes.
        let frame: Int64
        /// When the read index was valid.
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
    /// The reply to the last `splice`; nil also if the stream was stopped.
    private(set) var readIndex: ReadIndex?
    /// The reply to the last `probe`.
    private(set) var probe: Probe?
    /// Whether a command was refused since `beginCommands`.
    private(set) var hasRefusal = false

    var isComplete: Bool { pending.isEmpty }
    /// Whether the last reply is to a request that was sent after the renumbering.
    var isUpToDate: Bool { replyCount > outdatedCount }
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Called before new commands.
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

    /// All replies so far are outdated.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Counts a reply, and returns the oldest request, to which it belongs.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    /// The lowest frame that the server has not taken, after a stop or a flush.
    func landed(at frame: Int64) { landingFrame = frame }
    /// - Parameter index: Nil if the stream was stopped.
    func found(_ index: ReadIndex?) { readIndex = index }
    func found(_ probe: Probe) { self.probe = probe }
    func commandWasRefused() { hasRefusal = true }
}
