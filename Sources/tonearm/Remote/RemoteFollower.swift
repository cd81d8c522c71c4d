import Platform

/// Follows a daemon's events, over lost connections. Blocks.
struct RemoteFollower {
    struct Connection {
        let channel: any ByteChannel
        let address: RemoteAddress
        let token: String?
    }
    /// Daemon, terminal and clock.
    struct Surroundings {
        let connect: () throws(RemoteFailure) -> Connection
        let print: (String) throws(RemoteFailure) -> Void
        /// Prints on standard error.
        let warn: (String) -> Void
        /// In seconds.
        let wait: (Double) -> Void
    }

    /// In seconds without any byte; the server sends a heartbeat every 15.
    private static let silence = 50.0
    /// With which a server or a proxy refuses for some time.
    private static let temporary = [429, 502, 503, 504]
    private static let firstWait = 0.5, longestWait = 15.0

    private let surroundings: Surroundings
    private var follow: RemoteFollow
    /// In seconds; doubles up to a limit.
    private var wait = Self.firstWait
    /// Until then, any failure ends the command.
    private var hasBegun = false
    /// The user has read that the daemon is awaited.
    private var isWaiting = false

    init(_ follow: RemoteFollow, _ surroundings: Surroundings) {
        self.follow = follow
        self.surroundings = surroundings
    }

    /// Connects again after each loss. Throws every failure before the first stream, and then all but the loss.
    mutating func run() throws(RemoteFailure) -> Never {
        while true {
            do throws(RemoteFailure) { try receive() } catch {
                guard hasBegun, error.kind == .unreachable else { throw error }
                if !isWaiting {
                    isWaiting = true
                    try surroundings.print(follow.interrupt())
                    surroundings.warn("\(error.description); waiting for the server")
                }
            }
            surroundings.wait(wait)
            wait = min(Self.longestWait, 2 * wait)
        }
    }

    /// Of one connection; throws at its end.
    private mutating func receive() throws(RemoteFailure) -> Never {
        let connection = try surroundings.connect()
        var exchange = RemoteExchange(over: connection.channel, to: connection.address)
        var request = RemoteRequest("GET", "/api/v1/events" + follow.query)
        request.lastEventID = follow.lastEventID
        let head = try exchange.begin(request, token: connection.token)
        guard head.status == 200 else {
            let refusal = RemoteFailure(try exchange.response(after: head), at: connection.address)
            throw Self.temporary.contains(head.status) ? RemoteFailure(.unreachable, refusal.description) : refusal
        }
        hasBegun = true
        var parser = RemoteEventParser()
        while true {
            let bytes = try exchange.more(within: Self.silence)
            guard !bytes.isEmpty else { throw RemoteFailure(.unreachable, "the server at \(connection.address) ended the stream of events") }
            for event in parser.take(bytes) {
                // Only an event shows that the server works.
                wait = Self.firstWait
                isWaiting = false
                let text = follow.take(event)
                if !text.isEmpty { try surroundings.print(text) }
            }
            guard !parser.hasOverflowed else {
                throw RemoteFailure(.refused, "an event of the server at \(connection.address) is larger than \(RemoteEventParser.maximumSize) bytes")
            }
        }
    }
}

/// The waits before connecting again, each twice as long as the one before, up to a limit.
struct ReconnectionWaits: Sendable, Hashable {
    /// In seconds.
    static let first = 0.5, longest = 15.0

    private var upcoming = Self.first

    /// In seconds.
    mutating func next() -> Double {
        defer { upcoming = min(Self.longest, 2 * upcoming) }
        return upcoming
    }

    mutating func reset() { upcoming = Self.first }
}
