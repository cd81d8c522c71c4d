/// A kind of unnumbered event that a client requests. Such events are produced only while at least one client wants them.
enum Watch: Sendable, Hashable {
    /// The media time, sent at an interval.
    case tick(TickInterval)
    /// The crossing of one of the given media times during playback.
    case boundary(BoundaryTimes)
    /// The current item's buffer. Every event stream receives this event without requesting it.
    case buffer

    /// The type of the event, as clients see it.
    var name: String {
        switch self {
        case .tick: "tick"
        case .boundary: "boundary"
        case .buffer: "buffer"
        }
    }

    /// The number of events of this kind that are stored for a slow client: only the newest time or buffer, but several crossings.
    var keptCount: Int {
        switch self {
        case .tick, .buffer: 1
        case .boundary: 16
        }
    }
}

/// The interval at which a client wants the media time, in whole milliseconds of media time.
struct TickInterval: Sendable, Hashable {
    let milliseconds: Int

    /// The permitted intervals, in seconds of media time.
    static let range = 0.1...3600.0

    /// Creates the interval; nil if `seconds` is outside the range.
    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}

/// The media times whose crossing a client wants to know, in whole milliseconds.
struct BoundaryTimes: Sendable, Hashable {
    /// The media times in ascending order, without duplicates.
    let milliseconds: [Int]

    /// The maximum number of media times in one list.
    static let maximumCount = 16
    /// The permitted media times, in seconds.
    static let range = 0.0...1e9

    /// Parses JSON numbers (media times in seconds) that are separated by commas; nil if the text is anything else, or if a number is outside the
    /// range.
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
