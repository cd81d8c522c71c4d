import Platform

/// The position at which a user stopped listening to a medium, for long media such as audiobooks.
public struct MediaPosition: Sendable, Hashable {
    /// The URL of the medium, in UTF-8.
    public var url: [UInt8]
    /// The position, in seconds; nil if it was close to the start or the end of the medium, so that the medium starts at its beginning the next time.
    public var time: Double?
    /// The duration of the medium, in seconds. A medium with the same URL and another duration is another recording, to which the
    /// position does not apply.
    public var duration: Double
    public init(url: [UInt8], time: Double?, duration: Double) { self.url = url; self.time = time; self.duration = duration }
}

/// The latest positions at which users stopped listening to media. The number of positions and the size of their URLs are limited.
public struct MediaPositions: Sendable {
    /// The largest number of positions.
    public static let maximumCount = 10_000
    /// The limit of the size of all URLs together, in bytes.
    static let maximumTextSize = 4 << 20
    /// The minimum duration of a medium whose position is remembered, in seconds.
    static let shortestDuration = 600.0
    /// A duration in seconds: a position that is less than this duration away from the start or the end of the medium is not remembered.
    static let margin = 15.0
    /// The maximum difference between two durations of the same medium, in seconds. The duration of some media is an estimate at
    /// first, and exact later.
    static let durationTolerance = 2.0

    private var positions = RecentlyUsed<[UInt8], MediaPosition>(maximumCount: maximumCount, maximumCost: maximumTextSize)

    /// Makes the list from saved positions, the oldest first.
    public init(_ positions: [MediaPosition] = []) { for position in positions { _ = remember(position) } }

    public var count: Int { positions.count }

    /// Returns the remembered position of the medium with the URL `url`; nil if no position is remembered.
    public subscript(url: [UInt8]) -> MediaPosition? { mutating get { positions[url] } }

    /// Returns the position of a medium that has to be remembered. The returned position has no time if `time` is close to the medium's start or end.
    /// Returns nil for media shorter than `shortestDuration`.
    static func position(url: String, time: Double, duration: Double) -> MediaPosition? {
        guard duration >= shortestDuration else { return nil }
        let isInside = time >= margin && time <= duration - margin
        return MediaPosition(url: Array(url.utf8), time: isInside ? time : nil, duration: duration)
    }

    /// Whether an opened medium is the recording of the remembered position: their durations differ by at most `durationTolerance`.
    static func isSame(_ position: MediaPosition, duration: Double?) -> Bool {
        duration.map { abs($0 - position.duration) <= durationTolerance } ?? false
    }

    /// Remembers a position. If the position has no time, removes the remembered position of the medium. Returns the URLs of all removed positions.
    public mutating func remember(_ position: MediaPosition) -> [[UInt8]] {
        guard position.time != nil else {
            positions.remove { $0 == position.url }
            return [position.url]
        }
        return positions.insert(position, for: position.url, cost: position.url.count)
    }
}
