import PlaybackEngine

/// A request for the stream's timing.
struct TimingRequest {
    /// The purpose of a timing request.
    enum Purpose {
        /// Corrects the playhead while playing.
        case track
        /// Finds the position after a start, a stop or a flush.
        case start, stop, flush
        /// Finds the read index of a playing stream.
        case splice
        /// Finds the read index of a stream that has fewer frames than before.
        case probe
    }

    let purpose: Purpose
    let sentAt: HostTime
}

/// The timing requests that the server has not answered, and the replies that commands wait for. The server replies in the order of the requests.
///
/// All calls need the mainloop's lock.
final class ServerReplies {
    /// The read index of a stream whose writing is suspended.
    struct ReadIndex {
        /// The read index, as a frame.
        let frame: Int64
        /// The latency from reading to the listener, in seconds.
        let latency: Double
        /// Whether the stream plays.
        let isPlaying: Bool
    }
    /// The reply to a `probe`.
    struct Probe {
        /// The read index, as a frame.
        let frame: Int64
        /// The host time of the read index.
        let time: HostTime
    }

    /// The unanswered requests, oldest first.
    private var pending: [TimingRequest] = []
    /// The total number of timing requests, and of replies.
    private(set) var requestCount = 0
    private var replyCount = 0
    /// Replies to requests up to this number contain frames that were numbered differently.
    private var outdatedCount = 0
    /// The first frame that the server has not taken, after a stop or a flush.
    private(set) var landingFrame: Int64?
    /// The read index while the stream is started and writing is suspended.
    private(set) var readIndex: ReadIndex?
    private(set) var probe: Probe?
    /// Whether the server has refused one of the present commands.
    private(set) var hasRefusal = false

    /// Whether all requests have been answered.
    var isComplete: Bool { pending.isEmpty }
    /// Whether the newest reply is valid for the present numbers of frames.
    var isUpToDate: Bool { replyCount > outdatedCount }
    /// Whether request number `ticket` has been answered.
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Discards the results of former commands, before new ones are sent.
    func beginCommands() {
        landingFrame = nil
        hasRefusal = false
    }

    /// Discards the former read index, before it is requested.
    func expectReadIndex() { readIndex = nil }

    /// Discards the former probe, before a new one is requested.
    func expectProbe() { probe = nil }

    /// Records a request that has been sent.
    func requestWasSent(_ request: TimingRequest) {
        pending.append(request)
        requestCount += 1
    }

    /// Marks the unanswered requests, because frames get other numbers from now on.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Records a reply. Returns its request; nil if nothing was requested.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    func landed(at frame: Int64) { landingFrame = frame }
    /// - Parameter index: nil if the stream has been stopped meanwhile.
    func found(_ index: ReadIndex?) { readIndex = index }
    func found(_ probe: Probe) { self.probe = probe }
    /// Records that the server refused a command.
    func commandWasRefused() { hasRefusal = true }
}
