/// A kind of unnumbered event that a client requests. The events of a watch are produced only while at least one client wants them.
enum Watch: Sendable, Hashable {
    /// Events with the media time, sent at an interval.
    case tick(TickInterval)
    /// An event when playback crosses one of the given media times.
    case boundary(BoundaryTimes)
    /// An event with the state of the current item's buffer. Each stream receives these events, unless the types that its client has requested
    /// exclude `buffer`. No other parameter is needed.
    case buffer

    /// The type of the watch's events, as clients see it.
    var name: String {
        switch self {
        case .tick: "tick"
        case .boundary: "boundary"
        case .buffer: "buffer"
        }
    }

    /// The number of events of the watch that are stored for a slow client: of ticks and buffers only the newest, but several crossings of
    /// boundaries.
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

    /// The permitted intervals of ticks, in seconds of media time.
    static let range = 0.1...3600.0

    /// Creates the interval of a tick; nil if `seconds` is outside the permitted range.
    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}

/// The media times for which a client wants an event when playback crosses them, in whole milliseconds.
struct BoundaryTimes: Sendable, Hashable {
    /// The media times of the boundaries in ascending order, without duplicates, in milliseconds.
    let milliseconds: [Int]

    /// The maximum number of media times in one `BoundaryTimes`.
    static let maximumCount = 16
    /// The permitted media times of boundaries, in seconds.
    static let range = 0.0...1e9

    /// Parses JSON numbers (media times in seconds) that are separated by commas; nil if the text has another form, or if a number is outside the
    /// permitted range.
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
