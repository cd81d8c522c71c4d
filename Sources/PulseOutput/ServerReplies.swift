import Platform
import PlaybackEngine

/// A request to the PulseAudio server for the stream's timing.
struct TimingRequest {
    /// The purpose of a request for the stream's timing.
    enum Purpose {
        /// The timing corrects the playhead while the stream plays.
        case track
        /// The timing shows the position of the stream after a start, a stop or a flush.
        case start, stop, flush
        /// The timing shows the next frame that the server takes of a playing stream, while the stream's frames are replaced.
        case splice
        /// The timing after a replacement by rewinding shows how far the device was rewound.
        case probe
    }

    let purpose: Purpose
    let sentAt: HostTime
}

/// The requests for timing without a reply, and the contents of the replies for which commands wait. The PulseAudio server replies in the order of
/// the requests.
///
/// All calls of `ServerReplies` need the lock of libpulse's mainloop.
final class ServerReplies {
    /// The content of the reply to a timing request with the purpose `splice` (a replacement of frames).
    struct ReadIndex {
        /// The number of the frame at the server's read index: the next frame that the server takes.
        let frame: Int64
        /// The latency from the server's reading of a frame until the frame is heard, in seconds.
        let latency: Double
        /// Whether the server plays the stream.
        let isPlaying: Bool
    }
    /// The content of the reply to a timing request with the purpose `probe` (how far the device was rewound).
    struct Probe {
        /// The number of the frame at the server's read index: the next frame that the server takes.
        let frame: Int64
        /// The host time at which the server's read index was valid.
        let time: HostTime
    }

    /// The requests for timing without a reply, oldest first.
    private var pending: [TimingRequest] = []
    /// The number of timing requests that have been sent to the server.
    private(set) var requestCount = 0
    /// The number of the server's replies to timing requests.
    private var replyCount = 0
    /// The number of the newest timing request whose reply contains outdated frame numbers; 0 if there is no such request.
    private var outdatedCount = 0
    /// The number of the first frame that the server has not taken, after a stop or a flush; nil until the server's reply has arrived.
    private(set) var landingFrame: Int64?
    /// The content of the reply to the last timing request with the purpose `splice`; nil until the reply has arrived, or if the stream was stopped
    /// before.
    private(set) var readIndex: ReadIndex?
    /// The content of the reply to the last timing request with the purpose `probe`; nil until the reply has arrived.
    private(set) var probe: Probe?
    /// Whether the server has refused a command of the stream since `beginCommands`.
    private(set) var hasRefusal = false

    /// Whether the server has answered all timing requests.
    var isComplete: Bool { pending.isEmpty }
    /// Whether the newest reply to a timing request contains the present frame numbers.
    var isUpToDate: Bool { replyCount > outdatedCount }
    /// Returns whether the server has answered the timing request with the number `ticket`.
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Discards the results of former commands to the server, before new commands are sent.
    func beginCommands() {
        landingFrame = nil
        hasRefusal = false
    }

    /// Discards the server's former read index, before a new one is requested.
    func expectReadIndex() { readIndex = nil }

    /// Discards the content of the former reply to a `probe`, before a new one is requested.
    func expectProbe() { probe = nil }

    /// Records a timing request that has been sent to the server.
    func requestWasSent(_ request: TimingRequest) {
        pending.append(request)
        requestCount += 1
    }

    /// Marks the replies to all timing requests sent so far as outdated, because frames get other numbers from now on.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Records the server's reply to a timing request, and returns this request; nil if no request was sent.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    /// Records the number of the first frame that the server has not taken, after a stop or a flush.
    func landed(at frame: Int64) { landingFrame = frame }
    /// Records the content of the reply to a timing request with the purpose `splice`.
    ///
    /// - Parameter index: The server's read index; nil if the stream has been stopped since the request.
    func found(_ index: ReadIndex?) { readIndex = index }
    /// Records the content of the reply to a timing request with the purpose `probe`.
    func found(_ probe: Probe) { self.probe = probe }
    /// Records that the server has refused a command of the PulseAudio stream.
    func commandWasRefused() { hasRefusal = true }
}
