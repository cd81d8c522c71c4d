import Foundation

/// Turns the events of a daemon into what `--follow` prints. A value: the shell reads the events and writes the text.
struct RemoteFollow {
    private let isJSON: Bool
    /// The number of columns of the terminal; nil if standard output is no terminal.
    private let columns: Int?
    private var state: RemoteState?
    private var time = 0.0
    /// The last line that was printed.
    private var line = ""
    /// The id of the last numbered event; nil before the first one. A stream that begins with it continues without a gap.
    private(set) var lastEventID: String?

    init(isJSON: Bool, columns: Int?) {
        self.isJSON = isJSON
        self.columns = columns
    }

    /// The query of the event stream. Positions are needed only for a line that is rewritten.
    var query: String { columns != nil && !isJSON ? "?tick=1" : "" }

    /// Takes an event, and returns the text to print now; empty if nothing changes.
    mutating func take(_ event: RemoteEvent) -> String {
        // The id becomes a header field.
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
        // After an interruption any event shows the line again.
        default: guard line.isEmpty else { return "" }
        }
        guard let state else { return "" }
        let next = RemoteText.line(state, time: time)
        guard !next.utf8.elementsEqual(line.utf8) else { return "" }
        line = next
        // The line is rewritten from its beginning; the sequence erases what is left of the preceding one.
        return columns.map { "\r" + TerminalText.fitting(next, columns: $0 - 1) + "\u{1B}[K" } ?? next + "\n"
    }

    /// Ends the live line, so that another line can be written. Returns the text to print.
    mutating func interrupt() -> String {
        guard columns != nil, !line.isEmpty else { return "" }
        line = ""
        return "\n"
    }

    /// Returns an event in the form of the WebSocket, as one line. The data of an event of this server are one line of JSON.
    private static func json(_ event: RemoteEvent) -> String {
        let data = event.data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let id = event.id.map { ",\"id\":\(quoted($0))" } ?? ""
        return "{\"event\":\(quoted(event.name))\(id),\"data\":\(String(decoding: data, as: UTF8.self))}\n"
    }

    private static func quoted(_ text: String) -> String { text.jsonLine ?? "\"\"" }
}
