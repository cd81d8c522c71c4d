import Platform

/// The segments of one stream on one timeline, in seconds: those of a playlist that does not change, or the window of a live stream, whose playlist
/// is loaded again and again. Media time 0 is the start of the first segment of the first playlist.
///
/// The starts are sums of stated durations, so they find a segment. Which samples a segment begins with follows from its bytes (`HLSStream`).
struct HLSTimeline: Sendable {
    /// A segment with its place.
    struct Place: Sendable, Equatable {
        var segment: HLSMedia.Segment
        /// The number of the segment since the first playlist. Unlike the server's number, it never falls.
        var index: Int
        /// The number of the run. The segments of a run continue each other, and have one map.
        var run: Int
        /// The media time at which the segment begins, in seconds.
        var start: Double
        /// The date of its first sample, in seconds since 1970; nil if no segment up to this one states a date.
        var date: Double?

        var end: Double { start + segment.duration }
    }

    /// The segments of the newest playlist; never empty after the first segment was added.
    private(set) var places: [Place] = []
    private(set) var targetDuration: Double
    /// Whether no segment will be added.
    private(set) var hasEnded: Bool
    /// Whether the stream was live when it was opened: its playlist had no end.
    let isLive: Bool
    /// The time at which the newest playlist was requested, and that of the newest one with a change.
    private(set) var loadTime: HostTime, changeTime: HostTime
    private var wasChanged = true
    /// Whether the newest playlist was older than all known segments.
    private var isBehind = false
    private let start: Double?
    private let isStartPrecise: Bool
    private let holdBack: Double?

    /// The shortest time between two requests for a playlist, in seconds.
    private static let shortestReload = 0.5
    /// The distance from the end of a live stream at which playback begins, in target durations, if the server states none.
    private static let edgeDistance = 3.0

    /// - Parameter now: The time at which the playlist was requested.
    init(_ playlist: HLSMedia, at now: HostTime) {
        targetDuration = playlist.targetDuration
        hasEnded = playlist.hasEnded
        isLive = !playlist.hasEnded
        (loadTime, changeTime) = (now, now)
        (start, isStartPrecise, holdBack) = (playlist.start, playlist.isStartPrecise, playlist.holdBack)
        append(playlist.segments[...], isContinuing: true)
    }

    // MARK: Reloads

    /// Takes a newer playlist of the stream, which was requested at `now`. Returns whether it adds segments, or is the first one with the end of the
    /// stream.
    @discardableResult
    mutating func update(_ playlist: HLSMedia, at now: HostTime) -> Bool {
        loadTime = now
        targetDuration = playlist.targetDuration
        wasChanged = take(playlist)
        if wasChanged { changeTime = now }
        return wasChanged
    }

    private mutating func take(_ playlist: HLSMedia) -> Bool {
        let isEnd = playlist.hasEnded && !hasEnded, wasBehind = isBehind
        isBehind = false
        guard let first = places.first?.segment.number, let last = places.last?.segment.number else {
            hasEnded = playlist.hasEnded
            append(playlist.segments[...], isContinuing: true)
            return isEnd || !places.isEmpty
        }
        guard let newLast = playlist.segments.last?.number else {
            hasEnded = playlist.hasEnded
            return isEnd
        }
        if let known = playlist.segments.first(where: { (first...last).contains($0.number) }) {
            guard isSame(known) else {
                restart(playlist)
                return true
            }
            // A cache may send an older playlist, whose segments are known.
            guard newLast >= last else { return false }
        } else if playlist.sequence != last + 1 {
            // One older playlist may be that of a cache that lags behind the others.
            isBehind = newLast < first && !wasBehind
            // Otherwise segments have passed between the two playlists, or the server counts from the beginning again.
            if !isBehind { restart(playlist) }
            return !isBehind
        }
        renew(playlist.segments)
        hasEnded = playlist.hasEnded
        let added = playlist.segments.drop { $0.number <= last }
        append(added, isContinuing: true)
        places.removeFirst(places.prefix { $0.segment.number < playlist.sequence }.count)
        return isEnd || !added.isEmpty
    }

    /// Replaces the segments by those of a playlist that does not continue the known one. Its first segment begins at the end of the last known one.
    private mutating func restart(_ playlist: HLSMedia) {
        hasEnded = playlist.hasEnded
        let known = places.count
        append(playlist.segments[...], isContinuing: false)
        places.removeFirst(known)
    }

    /// Whether a segment of a playlist is the known segment of its number. A server may change the host, the folder and the query of a URL with each
    /// playlist, for example because they contain a token.
    private func isSame(_ segment: HLSMedia.Segment) -> Bool {
        guard let known = places.first(where: { $0.segment.number == segment.number })?.segment else { return false }
        func name(_ location: String) -> some Sequence<UInt8> {
            let path = location.utf8.prefix { $0 != UInt8(ascii: "?") }
            return path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path
        }
        return name(known.location).elementsEqual(name(segment.location)) && known.range == segment.range
    }

    /// Gives the known segments the addresses of a newer playlist, so that its new segments have the same map as they, whatever its address.
    private mutating func renew(_ segments: [HLSMedia.Segment]) {
        guard let first = places.first?.segment.number, let last = places.last?.segment.number else { return }
        for segment in segments where (first...last).contains(segment.number) {
            let index = Int(segment.number - first)
            places[index].segment.location = segment.location
            places[index].segment.map = segment.map
            places[index].segment.key = segment.key
        }
    }

    private mutating func append(_ segments: ArraySlice<HLSMedia.Segment>, isContinuing: Bool) {
        var isContinuing = isContinuing
        for segment in segments {
            guard let last = places.last else {
                places.append(Place(segment: segment, index: 0, run: 0, start: 0, date: segment.date))
                continue
            }
            let isSameRun = isContinuing && !segment.isDiscontinuous && last.segment.map == segment.map
            let date = segment.date ?? (isContinuing ? last.date.map { $0 + last.segment.duration } : nil)
            places.append(
                Place(segment: segment, index: last.index + 1, run: isSameRun ? last.run : last.run + 1, start: last.end, date: date))
            isContinuing = true
        }
    }

    /// The time at which the playlist is to be requested again; nil if the stream has ended (RFC 8216, section 6.3.4).
    var reloadTime: HostTime? {
        guard !hasEnded else { return nil }
        return loadTime + max(HLSTimeline.shortestReload, wasChanged ? targetDuration : targetDuration / 2)
    }

    // MARK: Places

    /// The media times of the segments; nil if there are none.
    var window: Range<Double>? {
        guard let first = places.first, let last = places.last else { return nil }
        return first.start..<max(first.start, last.end)
    }

    /// The place with an index; nil if it is not in the window.
    subscript(_ index: Int) -> Place? {
        guard let first = places.first, index >= first.index, index - first.index < places.count else { return nil }
        return places[index - first.index]
    }

    /// The segment that contains a media time: the first one before the window, the last one after it, nil if there are none.
    func place(at time: Double) -> Place? {
        let following = places.partitioningIndex { $0.start > time }
        return following > 0 ? places[following - 1] : places.first
    }

    /// The media time at which playback begins: where the playlist states it; otherwise the start, or in a live stream a segment far enough from the
    /// end (RFC 8216, section 6.3.3).
    var startTime: Double {
        guard let window else { return 0 }
        guard let start else { return isLive ? segmentStart(window.upperBound - edgeDistance) : window.lowerBound }
        let time = start < 0 ? window.upperBound + start : window.lowerBound + start
        // A live stream is not begun so near its end that the next segment would come too late.
        let last = isLive ? window.upperBound - edgeDistance : window.upperBound
        let bounded = max(window.lowerBound, min(time, last))
        return isStartPrecise ? bounded : segmentStart(bounded)
    }

    /// The distance from the end of a live stream at which it is played, in seconds.
    var edgeDistance: Double { max(holdBack ?? 0, HLSTimeline.edgeDistance * targetDuration) }

    private func segmentStart(_ time: Double) -> Double { place(at: time)?.start ?? 0 }

    // MARK: Dates

    /// The first segment with a date, from which the segments before it have theirs.
    private var firstDated: Place? { places.first { $0.date != nil } }

    /// The date of a media time, in seconds since 1970; nil if the playlist states no dates.
    func date(at time: Double) -> Double? {
        let place = place(at: time)
        guard let dated = place?.date == nil ? firstDated : place, let date = dated.date else { return nil }
        return date + time - dated.start
    }

    /// The date of media time 0, in seconds since 1970, if the dates run with the media time; nil if there are none, or if they jump.
    var startDate: Double? {
        guard let date = date(at: 0) else { return nil }
        let isSteady = places.allSatisfy { place in place.segment.date.map { abs($0 - place.start - date) <= targetDuration } ?? true }
        return isSteady ? date : nil
    }
}
