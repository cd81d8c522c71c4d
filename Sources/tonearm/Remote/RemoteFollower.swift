import Platform

/// Follows the events of a daemon, and connects again after the connection was lost. Blocks.
struct RemoteFollower {
    /// A connection that can carry the request for the events.
    struct Connection {
        let channel: any ByteChannel
        let address: RemoteAddress
        let token: String?
    }
    /// The functions by which the follower uses the daemon, the terminal and the clock.
    struct Surroundings {
        /// Connects to the daemon.
        let connect: () throws(RemoteFailure) -> Connection
        /// Prints on standard output.
        let print: (String) throws(RemoteFailure) -> Void
        /// Prints a line on standard error.
        let warn: (String) -> Void
        /// Waits for a time, in seconds.
        let wait: (Double) -> Void
    }

    /// The time, in seconds, after which a stream of events that sends nothing counts as lost. The server sends a heartbeat every 15 seconds.
    private static let silence = 50.0
    /// The statuses with which a server, or a proxy before it, refuses a request only for some time.
    private static let temporary = [429, 502, 503, 504]
    private static let firstWait = 0.5, longestWait = 15.0

    private let surroundings: Surroundings
    private var follow: RemoteFollow
    /// The next wait before an attempt to connect again, in seconds: each is twice as long as the one before, up to a limit.
    private var wait = Self.firstWait
    /// Whether a stream has begun. Until then, any failure ends the command.
    private var hasBegun = false
    /// Whether the user has read that the follower waits for the daemon.
    private var isWaiting = false

    init(_ follow: RemoteFollow, _ surroundings: Surroundings) {
        self.follow = follow
        self.surroundings = surroundings
    }

    /// Prints the changes, and connects again after each loss of the connection. Throws every failure before the first stream of events has begun, and
    /// after that every failure except the loss of the connection.
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

    /// Receives the events of one connection, and throws at its end.
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
                // Only an event shows that the server works. A server that does not work might accept connections and close them.
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

/// The waits between attempts to connect again: each is twice as long as the one before, up to a limit.
struct ReconnectionWaits: Sendable, Hashable {
    /// The first wait and the longest one, in seconds.
    static let first = 0.5, longest = 15.0

    private var upcoming = Self.first

    /// Returns the next wait, in seconds.
    mutating func next() -> Double {
        defer { upcoming = min(Self.longest, 2 * upcoming) }
        return upcoming
    }

    /// Starts with the first wait again.
    mutating func reset() { upcoming = Self.first }
}
