import Platform
import PlaybackEngine

/// A request to the PulseAudio server for the stream's timing.
struct TimingRequest {
    /// The purpose of a request for the stream's timing.
    enum Purpose {
        /// The timing corrects the playhead while the stream plays.
        case track
        /// The timing shows the read index (the next frame that the server takes) after a start, a stop or a flush.
        case start, stop, flush
        /// The timing of a playing stream shows the next frame that the server takes, for a replacement of frames.
        case splice
        /// The timing shows how far the device was rewound, for a replacement of audio by rewinding.
        case probe
    }

    let purpose: Purpose
    let sentAt: HostTime
}

/// The timing requests to the PulseAudio server that have no reply yet, and the replies for which commands wait. The PulseAudio server replies in the
/// order of the requests.
///
/// All calls of `ServerReplies` need the lock of libpulse's mainloop.
final class ServerReplies {
    /// The content of the reply to a timing request that was sent for a replacement of frames (its purpose is `splice`).
    struct ReadIndex {
        /// The number of the frame at the server's read index: the next frame that the server takes.
        let frame: Int64
        /// The latency from the server's reading of a frame until the frame is heard, in seconds.
        let latency: Double
        /// Whether the server plays the stream.
        let isPlaying: Bool
    }
    /// The content of the reply to a timing request that shows how far the device was rewound (its purpose is `probe`).
    struct Probe {
        /// The number of the frame at the server's read index: the next frame that the server takes.
        let frame: Int64
        /// The host time at which the server's read index was valid.
        let time: HostTime
    }

    /// The timing requests that have no reply yet, in the order in which they were sent.
    private var pending: [TimingRequest] = []
    /// The number of timing requests that have been sent to the server.
    private(set) var requestCount = 0
    /// The number of replies to timing requests that have arrived from the server.
    private var replyCount = 0
    /// The number of timing requests that were sent before the frames were last renumbered. The replies to requests before a renumbering contain
    /// outdated frame numbers.
    private var outdatedCount = 0
    /// After a stop or a flush, the number of the lowest frame that the server has not taken; nil until the server's reply has arrived.
    private(set) var landingFrame: Int64?
    /// The reply to the last timing request with the purpose `splice` (a replacement of frames); nil until the reply has arrived, and nil if the
    /// stream was stopped before the reply.
    private(set) var readIndex: ReadIndex?
    /// The reply to the last timing request with the purpose `probe` (how far the device was rewound); nil until the reply has arrived.
    private(set) var probe: Probe?
    /// Whether the server has refused a command of the stream since the last call of `beginCommands`.
    private(set) var hasRefusal = false

    /// Whether the server has answered all timing requests.
    var isComplete: Bool { pending.isEmpty }
    /// Whether the last reply belongs to a request that was sent after the last renumbering of the frames.
    var isUpToDate: Bool { replyCount > outdatedCount }
    /// Returns whether the server has answered the timing request with the number `ticket`.
    func isAnswered(_ ticket: Int) -> Bool { replyCount >= ticket }

    // MARK: Requests

    /// Discards the results of former commands to the server. Called before new commands are sent.
    func beginCommands() {
        landingFrame = nil
        hasRefusal = false
    }

    /// Discards the server's last reported read index. Called before a new read index is requested.
    func expectReadIndex() { readIndex = nil }

    /// Discards the reply to the last timing request with the purpose `probe`. Called before a request with the purpose `probe` is sent.
    func expectProbe() { probe = nil }

    /// Records a timing request that has been sent to the server.
    func requestWasSent(_ request: TimingRequest) {
        pending.append(request)
        requestCount += 1
    }

    /// Marks the replies to all timing requests sent so far as outdated. Called when the frames in the stream get other numbers.
    func framesWereRenumbered() { outdatedCount = requestCount }

    // MARK: Replies

    /// Records that the server's reply to the oldest pending timing request has arrived, and returns this request; nil if no request is pending.
    func replyArrived() -> TimingRequest? {
        guard !pending.isEmpty else { return nil }
        replyCount += 1
        return pending.removeFirst()
    }

    /// Records the number of the lowest frame that the server has not taken, after a stop or a flush.
    func landed(at frame: Int64) { landingFrame = frame }
    /// Records the content of the reply to a timing request with the purpose `splice`.
    ///
    /// - Parameter index: The server's read index (the next frame that the server takes); nil if the stream was stopped after the request.
    func found(_ index: ReadIndex?) { readIndex = index }
    /// Records the content of the reply to a timing request with the purpose `probe`.
    func found(_ probe: Probe) { self.probe = probe }
    /// Records that the server has refused a command of the PulseAudio stream.
    func commandWasRefused() { hasRefusal = true }
}
