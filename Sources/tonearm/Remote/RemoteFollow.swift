import Foundation

/// Converts the events of a daemon to the text that `tonearm remote --follow` prints. A `RemoteFollow` is a value; its caller reads the events and
/// writes the text.
struct RemoteFollow {
    private let isJSON: Bool
    /// The number of columns of the terminal; nil if standard output is not a terminal.
    private let columns: Int?
    private var state: RemoteState?
    private var time = 0.0
    /// The line that was printed last.
    private var line = ""
    /// The id of the last event that has an id; nil before the first one. If this id is sent in the request for another stream (`Last-Event-ID`),
    /// that stream continues without a gap.
    private(set) var lastEventID: String?

    init(isJSON: Bool, columns: Int?) {
        self.isJSON = isJSON
        self.columns = columns
    }

    /// The query of the event stream. Events with the position are requested only for a terminal, on which one line is updated.
    var query: String { columns != nil && !isJSON ? "?tick=1" : "" }

    /// Processes an event, and returns the text to print; empty if the printed line does not change.
    mutating func take(_ event: RemoteEvent) -> String {
        // The id is sent in a header field of the next request, so an id with other characters than visible ASCII is ignored.
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
        // After `interrupt`, the next event of any type prints the line again.
        default: guard line.isEmpty else { return "" }
        }
        guard let state else { return "" }
        let next = RemoteText.line(state, time: time)
        guard !next.utf8.elementsEqual(line.utf8) else { return "" }
        line = next
        // On a terminal, the line is overwritten from its beginning. The sequence at the end erases the rest of the preceding line.
        return columns.map { "\r" + TerminalText.fitting(next, columns: $0 - 1) + "\u{1B}[K" } ?? next + "\n"
    }

    /// Ends the live line, so that another line can be written. Returns the text to print.
    mutating func interrupt() -> String {
        guard columns != nil, !line.isEmpty else { return "" }
        line = ""
        return "\n"
    }

    /// Returns an event in the form of the WebSocket, as one line. The data of an event of this server are one line of JSON; line breaks, which
    /// another server might send, become spaces.
    private static func json(_ event: RemoteEvent) -> String {
        let data = event.data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let id = event.id.map { ",\"id\":\(quoted($0))" } ?? ""
        return "{\"event\":\(quoted(event.name))\(id),\"data\":\(String(decoding: data, as: UTF8.self))}\n"
    }

    private static func quoted(_ text: String) -> String { text.jsonLine ?? "\"\"" }
}
