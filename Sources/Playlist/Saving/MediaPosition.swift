/// The position at which a medium was left, for media that are heard in several parts, such as audiobooks.
public struct MediaPosition: Sendable, Hashable {
    /// The URL of the medium, in UTF-8.
    public var url: [UInt8]
    /// The position, in seconds; nil if the medium was heard to its end, so that it starts at its beginning.
    public var time: Double?
    /// The duration of the medium, in seconds. A medium of another duration is another recording.
    public var duration: Double
    public init(url: [UInt8], time: Double?, duration: Double) { self.url = url; self.time = time; self.duration = duration }
}

/// The positions at which media were left, the latest ones. Their number and the length of their URLs are limited.
public struct MediaPositions: Sendable {
    /// The largest number of positions.
    public static let maximumCount = 10_000
    /// The limit of all URLs together, in bytes.
    static let maximumTextSize = 4 << 20
    /// The smallest duration of a medium whose position is remembered, in seconds.
    static let shortestDuration = 600.0
    /// The distance from an end of the medium within which no position is remembered, in seconds.
    static let margin = 15.0
    /// The largest difference of two durations of the same medium, in seconds. The duration of some media is an estimate at first.
    static let durationTolerance = 2.0

    private struct Record {
        var position: MediaPosition
        var number: Int
    }
    private var records: [[UInt8]: Record] = [:]
    /// The URLs in the order in which their positions were remembered, with the number of the position. Older numbers of a URL are skipped.
    private var order: [(url: [UInt8], number: Int)] = []
    private var newest = 0
    private var textSize = 0

    /// The positions that were kept, the oldest first.
    public init(_ positions: [MediaPosition] = []) { for position in positions { _ = remember(position) } }

    public var count: Int { records.count }

    /// Returns the position at which a medium was left; nil if none is remembered.
    public subscript(url: [UInt8]) -> MediaPosition? { records[url]?.position }

    /// Returns what is to be remembered of a medium: its position, or nothing if it is near an end of the medium. Returns nil for short media.
    static func position(url: String, time: Double, duration: Double) -> MediaPosition? {
        guard duration >= shortestDuration else { return nil }
        let isInside = time >= margin && time <= duration - margin
        return MediaPosition(url: Array(url.utf8), time: isInside ? time : nil, duration: duration)
    }

    /// Whether a medium that has now been opened has the duration that the remembered position belongs to.
    static func isSame(_ position: MediaPosition, duration: Double?) -> Bool {
        duration.map { abs($0 - position.duration) <= durationTolerance } ?? false
    }

    /// Remembers a position, or forgets the medium if the position has no time. Returns the URLs of the positions that are removed instead.
    public mutating func remember(_ position: MediaPosition) -> [[UInt8]] {
        if records.removeValue(forKey: position.url) != nil { textSize -= position.url.count }
        guard position.time != nil else { return [position.url] }
        newest += 1
        records[position.url] = Record(position: position, number: newest)
        order.append((position.url, newest))
        textSize += position.url.count
        var removed: [[UInt8]] = []
        var skipped = 0
        while records.count > Self.maximumCount || (textSize > Self.maximumTextSize && records.count > 1), skipped < order.count {
            let (url, number) = order[skipped]
            skipped += 1
            guard records[url]?.number == number else { continue }
            records[url] = nil
            textSize -= url.count
            removed.append(url)
        }
        order.removeFirst(skipped)
        // A medium that plays for hours is remembered each second, so the list is cleaned before it grows without limit.
        if order.count > 2 * Self.maximumCount { order.removeAll { records[$0.url]?.number != $0.number } }
        return removed
    }
}
