/// What a client asks to be told besides what everybody is told: an event without number, made only as long as somebody wants it.
enum Watch: Sendable, Hashable {
    /// The time, at an interval of it.
    case tick(TickInterval)
    /// That playback has crossed a time.
    case boundary(BoundaryTimes)
    /// What the current item has at hand: every stream is told.
    case buffer

    /// The event's type.
    var name: String {
        switch self {
        case .tick: "tick"
        case .boundary: "boundary"
        case .buffer: "buffer"
        }
    }

    /// How many of its events are kept for a client that has not read yet: of the times and the buffer the newest, of crossings several.
    var keptCount: Int {
        switch self {
        case .tick, .buffer: 1
        case .boundary: 16
        }
    }
}

/// How often a client wants to be told the time, in whole milliseconds of media time.
struct TickInterval: Sendable, Hashable {
    let milliseconds: Int

    /// The intervals that can be asked for, seconds.
    static let range = 0.1...3600.0

    /// nil where `seconds` is outside the range.
    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}

/// The times at which a client wants to be told that playback crosses them, in whole milliseconds of media time.
struct BoundaryTimes: Sendable, Hashable {
    /// In order, each once.
    let milliseconds: [Int]

    /// How many times one client may ask for.
    static let maximumCount = 16
    /// The times that can be asked for, seconds.
    static let range = 0.0...1e9

    /// Reads numbers with commas between them, written as JSON writes numbers; nil where it is not that, or one is outside the range.
    init?(_ text: String) {
        guard case .array(let elements)? = try? JSONParser.parse(Array("[\(text)]".utf8)), !elements.isEmpty, elements.count <= Self.maximumCount
        else { return nil }
        var times: Set<Int> = []
        for element in elements {
            guard case .number(let number) = element, let seconds = number.double, Self.range.contains(seconds) else { return nil }
            times.insert(Int((seconds * 1000).rounded()))
        }
        milliseconds = times.sorted()
    }

    var seconds: [Double] { milliseconds.map { Double($0) / 1000 } }
}
