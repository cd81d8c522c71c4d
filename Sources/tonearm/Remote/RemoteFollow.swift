import Foundation

/// Converts events to the text of `tonearm remote --follow`. A value; its caller reads and writes.
struct RemoteFollow {
    private let isJSON: Bool
    /// Nil without a terminal.
    private let columns: Int?
    private var state: RemoteState?
    private var time = 0.0
    private var line = ""
    /// Sent as `Last-Event-ID`, it continues the stream without a gap.
    private(set) var lastEventID: String?

    init(isJSON: Bool, columns: Int?) {
        self.isJSON = isJSON
        self.columns = columns
    }

    /// Positions only for a terminal, on which one line is updated.
    var query: String { columns != nil && !isJSON ? "?tick=1" : "" }

    /// Empty if the line does not change.
    mutating func take(_ event: RemoteEvent) -> String {
        // It is sent in a header field, so only visible ASCII.
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
        // Overwrites the line, and erases its rest.
        return columns.map { "\r" + TerminalText.fitting(next, columns: $0 - 1) + "\u{1B}[K" } ?? next + "\n"
    }

    /// So that another line can be written.
    mutating func interrupt() -> String {
        guard columns != nil, !line.isEmpty else { return "" }
        line = ""
        return "\n"
    }

    /// As on the WebSocket, in one line; line breaks of another server become spaces.
    private static func json(_ event: RemoteEvent) -> String {
        let data = event.data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let id = event.id.map { ",\"id\":\(quoted($0))" } ?? ""
        return "{\"event\":\(quoted(event.name))\(id),\"data\":\(String(decoding: data, as: UTF8.self))}\n"
    }

    private static func quoted(_ text: String) -> String { text.jsonLine ?? "\"\"" }
}
