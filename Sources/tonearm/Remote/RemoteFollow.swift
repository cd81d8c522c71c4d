import Foundation

/// Converts events to the text of `tonearm remote --follow`. It is a value; its owner reads the events and writes the text.
struct RemoteFollow {
    private let isJSON: Bool
    /// The width of the terminal, in columns; nil without a terminal.
    private let columns: Int?
    private var state: RemoteState?
    private var time = 0.0
    private var line = ""
    /// The id of the last event. Sent as `Last-Event-ID`, it continues the stream without a gap.
    private(set) var lastEventID: String?

    init(isJSON: Bool, columns: Int?) {
        self.isJSON = isJSON
        self.columns = columns
    }

    /// The query of the request for events. It requests positions only for a terminal, on which one line is updated.
    var query: String { columns != nil && !isJSON ? "?tick=1" : "" }

    /// Returns the text to print; empty if the line does not change.
    mutating func take(_ event: RemoteEvent) -> String {
        // The id is sent in a header field, so it must be visible ASCII.
        if let id = event.id, !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { lastEventID = id }
        if isJSON { return Self.json(event) }
        let data = Data(event.data)
        switch event.name {
        case "state":
            guard let new = try? JSONDecoder().decode(RemoteState.self, from: data) else { return "" }
            (state, time) = (new, new.anchor.time)
        case "tick":
            guard let tick = try? JSONDecoder().decode(RemoteTime.self, from: data) else { return "" }
            time = tick.currentTime
        // After `interrupt`, the next event prints the line again.
        default: guard line.isEmpty else { return "" }
        }
        guard let state else { return "" }
        let next = RemoteText.line(state, time: time)
        guard !next.utf8.elementsEqual(line.utf8) else { return "" }
        line = next
        // The new text overwrites the line on the terminal, and erases the rest of the line.
        return columns.map { "\r" + TerminalText.fitting(next, columns: $0 - 1) + "\u{1B}[K" } ?? next + "\n"
    }

    /// Ends the live line, so that another line can be written.
    mutating func interrupt() -> String {
        guard columns != nil, !line.isEmpty else { return "" }
        line = ""
        return "\n"
    }

    /// The event as on the WebSocket, in one line; line breaks of another server become spaces.
    private static func json(_ event: RemoteEvent) -> String {
        let data = event.data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let id = event.id.map { ",\"id\":\(quoted($0))" } ?? ""
        return Log.escapedJSON("{\"event\":\(quoted(event.name))\(id),\"data\":\(String(decoding: data, as: UTF8.self))}") + "\n"
    }

    private static func quoted(_ text: String) -> String { text.jsonLine ?? "\"\"" }
}

/// Follows a daemon's events, and connects again after a lost connection. Blocks.
final class RemoteFollower {
    /// The daemon to which a request is sent.
    struct Server {
        let address: RemoteAddress
        /// Sends a request, passes the body of a response with status 200 to the receiver, and returns the response at its end.
        let send: (RemoteRequest, @escaping RemoteExchange.Receiver) throws(RemoteFailure) -> RemoteResponse
    }
    /// The functions that connect the follower to the daemon, the terminal and the clock.
    struct Surroundings {
        let find: () throws(RemoteFailure) -> Server
        let print: (String) throws(RemoteFailure) -> Void
        /// Prints on standard error.
        let warn: (String) -> Void
        /// Waits for a number of seconds.
        let wait: (Double) -> Void
    }

    /// The status codes with which a server or a proxy refuses for some time.
    private static let temporary = [429, 502, 503, 504]
    private static let firstWait = 0.5, longestWait = 15.0

    private let surroundings: Surroundings
    private var follow: RemoteFollow
    /// The wait before the next connection, in seconds; it doubles up to a limit.
    private var wait = RemoteFollower.firstWait
    /// Whether a stream has begun; until then, any failure ends the command.
    private var hasBegun = false
    /// Whether the user has been told that the command waits for the daemon.
    private var isWaiting = false

    init(_ follow: RemoteFollow, _ surroundings: Surroundings) {
        self.follow = follow
        self.surroundings = surroundings
    }

    /// Connects again after each lost connection. Throws every failure before the first stream; afterwards every failure except a lost connection.
    func run() throws(RemoteFailure) -> Never {
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

    /// Receives the events of one connection; throws at its end.
    private func receive() throws(RemoteFailure) -> Never {
        let server = try surroundings.find()
        var request = RemoteRequest("GET", "/api/v1/events" + follow.query)
        request.lastEventID = follow.lastEventID
        var parser = RemoteEventParser()
        let response = try server.send(request) { (bytes) throws(RemoteFailure) in
            self.hasBegun = true
            for event in parser.take(bytes) {
                // Only an event shows that the server works.
                self.wait = Self.firstWait
                self.isWaiting = false
                let text = self.follow.take(event)
                if !text.isEmpty { try self.surroundings.print(text) }
            }
            guard !parser.hasOverflowed else {
                throw RemoteFailure(.refused, "an event of the server at \(server.address) is larger than \(RemoteEventParser.maximumSize) bytes")
            }
        }
        guard response.status == 200 else {
            let refusal = RemoteFailure(response, at: server.address)
            throw Self.temporary.contains(response.status) ? RemoteFailure(.unreachable, refusal.description) : refusal
        }
        hasBegun = true
        throw RemoteFailure(.unreachable, "the server at \(server.address) ended the stream of events")
    }
}
