/// A kind of unnumbered event, which is produced only while at least one client wants it.
enum Watch: Sendable, Hashable {
    case tick(TickInterval)
    /// Playback crosses one of the given media times.
    case boundary(BoundaryTimes)
    /// The current item's buffer, for each stream whose types contain `buffer`.
    case buffer

    var name: String {
        switch self {
        case .tick: "tick"
        case .boundary: "boundary"
        case .buffer: "buffer"
        }
    }

    /// How many events are stored for a slow client: of ticks and buffers only the newest.
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

    static let range = 0.1...3600.0

    init?(seconds: Double) {
        guard Self.range.contains(seconds) else { return nil }
        milliseconds = Int((seconds * 1000).rounded())
    }

    var seconds: Double { Double(milliseconds) / 1000 }
}

/// The media times for which a client wants an event when playback crosses them, in whole milliseconds.
struct BoundaryTimes: Sendable, Hashable {
    /// Ascending, without duplicates.
    let milliseconds: [Int]

    static let maximumCount = 16
    /// In seconds.
    static let range = 0.0...1e9

    /// Parses JSON numbers, in seconds, separated by commas.
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
