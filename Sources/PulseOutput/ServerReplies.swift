import Platform
import PlaybackEngine

/// A request to the server for the stream's timing.
struct TimingRequest {
    /// The purpose of a timing request.
    enum Purpose {
        /// Corrects the playhead while the stream plays.
        case track
        /// Finds the position of the stream after a start, a stop or a flush.
        case start, stop, flush
        /// Finds the read index of a playing stream while its frames are replaced.
        case splice
        /// Finds the read index after a replacement by rewinding, which shows how far the device was rewound.
        case probe
    }

    let purpose: Purpose
    let sentAt: HostTime
}

/// The timing requests without a reply, and the contents of the replies for which commands wait. The server replies in the order of the requests.
///
/// All calls need the mainloop's lock.
final class ServerReplies {
    /// The content of the reply to a timing request with the purpose `splice`.
    struct ReadIndex {
        /// The number of the frame at the server's read index: the next one that the server takes.
        let frame: Int64
        /// The latency from the server's reading of a frame until the frame is heard, in seconds.
        let latency: Double
        /// Whether the stream plays.
        let isPlaying: Bool
    }
    /// The content of the reply to a timing request with the purpose `probe`.
    struct Probe {
        /// The number of the frame at the server's read index: the next one that the server takes.
        let frame: Int64
        /// The host time at which the read index was valid.
        let time: HostTime
    }

    /// The timing requests without a reply, oldest first.
    private var pending: [TimingRequest] = []
    /// The number of timing requests that have been sent.
    private(set) var requestCount = 0
    /// The number of replies to timing requests.
    private var replyCount = 0
    /// The number of the newest timing request whose reply contains outdated frame numbers; 0 if there is none.
    private var outdatedCount = 0
    /// The number of the first frame that the server has not taken, after a stop or a flush; nil until the reply has arrived.
    private(set) var landingFrame: Int64?
    /// The content of the reply to the last request with the purpose `splice`; nil until the reply has arrived, or if the stream was stopped before.
    private(set) var readIndex: ReadIndex?
    /// The content of the reply to the last `probe`; nil until the reply has arrived.
    private(set) var probe: Probe?
    /// Whether the server has refused a command since `beginCommands`.
    private(set) var hasRefusal = false

    /// Whether all timing requests have been answered.
    var isComplete: Bool { pending.isEmpty }
    /// Whether the newest reply contains the present frame numbers.
    var isUpToDate: Bool { replyCount > outdatedCount }
    /// Returns whether the timing request with the number `ticket` has been answered.
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Discards the results of former commands, before new commands are sent.
    func beginCommands() {
        landingFrame = nil
        hasRefusal = false
    }

    /// Discards the former read index, before a new one is requested.
    func expectReadIndex() { readIndex = nil }

    /// Discards the content of the former `probe`, before a new one is requested.
    func expectProbe() { probe = nil }

    /// Records a timing request that has been sent.
    func requestWasSent(_ request: TimingRequest) {
        pending.append(request)
        requestCount += 1
    }

    /// Marks the replies to all requests sent so far as outdated, because frames get other numbers from now on.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Records a reply, and returns the request to which it belongs; nil if no request was sent.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    /// Records the number of the first frame that the server has not taken, after a stop or a flush.
    func landed(at frame: Int64) { landingFrame = frame }
    /// Records the content of the reply to a `splice`.
    ///
    /// - Parameter index: The read index; nil if the stream has been stopped since the request.
    func found(_ index: ReadIndex?) { readIndex = index }
    /// Records the content of the reply to a `probe`.
    func found(_ probe: Probe) { self.probe = probe }
    /// Records that the server has refused a command.
    func commandWasRefused() { hasRefusal = true }
}
