/// The search for the byte offset of a position in a medium without an index that can be trusted, by interpolation between known points.
///
/// Each probe reads a small part of the medium at the estimated offset, so a server gets few requests. The points that the search finds remain known,
/// so a later search begins closer to its target.
struct ByteSearch {
    /// A position at which reading can begin, in the units of the container's timestamps, and its byte offset.
    struct Point: Equatable {
        var position: Int64
        var byte: Int64
    }
    /// The known points, in order of both the position and the byte offset. The first one is the start of the audio.
    private(set) var points: [Point]
    /// The end of the audio.
    private let end: Point
    /// The position of the start of the audio.
    var start: Int64 { points[0].position }

    /// The maximum number of known points.
    static let capacity = 4096
    /// The maximum number of parts that one search reads.
    static let probeLimit = 8
    /// The number of bytes that the search reads at once, if several packets fit into so many bytes.
    static let usualWindow: Int64 = 64 << 10
    /// The largest size of a part, in bytes.
    static let largestWindow: Int64 = 1 << 20
    /// The distance between a known point and the estimated offset, in bytes, up to which the bytes in between are read instead of skipped, because
    /// that needs no further request.
    private static let continuedDistance: Int64 = 96 << 10
    /// The usual distance, in bytes, at which a part begins before the estimated offset.
    static let usualMargin: Int64 = 16 << 10
    /// The largest number of bytes that is added to the margin, because an estimate far from known points is uncertain.
    private static let largestUncertainty: Int64 = 48 << 10

    /// - Parameter hints: Points that the medium states. They are not trusted: audio that contradicts them removes them.
    init(first: Point, end: Point, hints: [Point] = []) {
        points = [first]
        self.end = end
        for point in hints where points.count < ByteSearch.capacity { note(point) }
    }

    /// Adds a known point. Known points that contradict it are removed, except the first one. If there are more than `capacity` points then, every
    /// second one is removed.
    mutating func note(_ point: Point) {
        guard let first = points.first, point.position > first.position, point.byte > first.byte, point.position < end.position, point.byte < end.byte
        else { return }
        let index = index(after: point.position)
        var low = index, high = index
        while low > 1, points[low - 1].byte >= point.byte || points[low - 1].position == point.position { low -= 1 }
        while high < points.count, points[high].byte <= point.byte { high += 1 }
        points.replaceSubrange(low..<high, with: [point])
        guard points.count > ByteSearch.capacity else { return }
        points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }

    /// Returns the index of the first known point after `position`.
    private func index(after position: Int64) -> Int { points.partitioningIndex { $0.position > position } }

    /// Returns the byte offset of the last point at or before `target`. Returns nil if the target is not within the audio, if bytes cannot be read or
    /// contradict the known points, or if `probeLimit` parts do not show the offset.
    ///
    /// - Parameters:
    ///   - window: The number of bytes to read at once; at least two packets should fit.
    ///   - margin: The distance, in bytes, at which reading begins before the estimated offset, so that the point before the target is found too.
    ///   - read: The function that returns the bytes of a range of the medium; fewer if they cannot be read.
    ///   - find: The function that returns the points in bytes: consecutive ones, in order. Its arguments are the bytes, the offset at which they
    ///     begin, and the position at this offset (nil if it is unknown).
    mutating func offset(
        of target: Int64, window: Int64 = ByteSearch.usualWindow, margin: Int64 = ByteSearch.usualMargin, read: (Range<Int64>) -> [UInt8],
        find: ([UInt8], Int64, Int64?) -> [Point]
    ) -> Int64? {
        guard let first = points.first, target > first.position, target < end.position, end.byte > first.byte else { return nil }
        var window = min(window, ByteSearch.largestWindow), nearest: Nearest?, bound = Int64.max
        for _ in 0..<ByteSearch.probeLimit {
            let number = index(after: target), low = points[number - 1], high = number < points.count ? points[number] : end
            let estimate = ByteSearch.estimate(target, low, high, nearest, window, margin)
            // The part consists of the margin before the estimated offset, which may be too high, and of the window after it.
            let start = max(low.byte, min(estimate.offset - estimate.margin, bound)), stop = min(end.byte, start + estimate.margin + window)
            let bytes = read(start..<stop)
            guard bytes.count == Int(stop - start) else { return nil }
            let found = find(bytes, start, start == low.byte ? low.position : nil)
            guard let last = found.last else {
                // The part has no complete packet.
                guard window < ByteSearch.largestWindow else { return nil }
                window = min(2 * window, ByteSearch.largestWindow)
                continue
            }
            if found[0].position < low.position || last.position > high.position { points = [first] }
            note(found[0])
            note(last)
            let rate = found.count > 1 ? Double(last.byte - found[0].byte) / Double(max(1, last.position - found[0].position)) : nil
            nearest = Nearest(point: last.position <= target ? last : found[0], rate: rate)
            if let index = found.lastIndex(where: { $0.position <= target }) {
                if index + 1 < found.count || stop == end.byte { return found[index].byte }
                if start == found[index].byte { window = min(2 * window, ByteSearch.largestWindow) }
            } else if start == low.byte {
                // The packet at the known point is not there, so the points that the medium states are wrong.
                guard number > 1 else { return nil }
                points = [first]
            } else {
                bound = start - margin
            }
        }
        points = [first]
        return nil
    }

    /// The point closest to the target in the part that was read last, and the bytes per unit of position there.
    private struct Nearest {
        var point: Point
        var rate: Double?
    }

    /// Returns the estimated offset of the target, and the margin: the distance, in bytes, at which the next part begins before this offset. If the
    /// known point before the target is close, returns the offset of that point, and no margin.
    ///
    /// The bit rate close to the target is a better guide than the mean bit rate between two distant points.
    private static func estimate(
        _ target: Int64, _ low: Point, _ high: Point, _ nearest: Nearest?, _ window: Int64, _ margin: Int64
    ) -> (offset: Int64, margin: Int64) {
        let bytes = high.byte - low.byte
        guard bytes > window, high.position > low.position else { return (low.byte, 0) }
        var distance = Double(target - low.position) / Double(high.position - low.position) * Double(bytes)
        if let nearest, nearest.point == low || nearest.point == high, let rate = nearest.rate {
            let local = Double(nearest.point.byte - low.byte) + Double(target - nearest.point.position) * rate
            if local > 0, local < Double(bytes) { distance = local }
        }
        let offset = Int64(distance)
        guard offset > continuedDistance else { return (low.byte, 0) }
        return (low.byte + offset, margin + min(min(offset, bytes - offset) / 16, largestUncertainty))
    }
}
