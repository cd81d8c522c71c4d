import CoreMedia
import PlaybackEngine

/// The grid of a periodic observer: multiples of its interval on the item's timeline (R-PTO-01, R-PTO-07). Pure.
struct PeriodicGrid {
    let interval: CMTime
    private var last: CMTime?

    /// - Parameter interval: numeric and positive.
    init(interval: CMTime) { self.interval = interval }

    /// How many whole intervals lie in `time`, rounded down or up; exact.
    private func count(in time: CMTime, up: Bool) -> Int128 {
        let numerator = Int128(time.value) * Int128(interval.timescale)
        let denominator = Int128(time.timescale) * Int128(interval.value)
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder == 0 { return quotient }
        return up ? quotient + (numerator > 0 ? 1 : 0) : quotient - (numerator < 0 ? 1 : 0)
    }

    /// Time went on to `time` by itself: true where a grid point was reached since the last call.
    func reaches(_ time: CMTime) -> Bool {
        guard let last, time.isNumeric, last.isNumeric else { return false }
        return time >= last ? count(in: time, up: false) > count(in: last, up: false) : count(in: time, up: true) < count(in: last, up: true)
    }

    /// Counting goes on from `time`.
    mutating func move(to time: CMTime) { last = time }

    /// The media frame, at `sampleRate`, at which the grid is reached next; nil where there is none ahead.
    func nextFrame(after time: CMTime, forward: Bool, sampleRate: Int) -> Double? {
        guard time.isNumeric else { return nil }
        let index = forward ? count(in: time, up: false) + 1 : count(in: time, up: true) - 1
        guard index >= 0 else { return nil }
        return mediaFrame(index * Int128(interval.value), interval.timescale, sampleRate: sampleRate, up: forward)
    }
}

/// The times of a boundary observer (R-BTO-01…09). Pure.
struct BoundaryTimes {
    /// Ascending; what is not numeric is ignored (R-BTO-08).
    let times: [CMTime]
    private var last: CMTime?

    init(times: [CMTime]) { self.times = times.filter(\.isNumeric).sorted() }

    /// Time went on to `time` by itself: true where one was crossed since the last call (R-BTO-06): close ones merge (R-BTO-03).
    func crosses(_ time: CMTime) -> Bool {
        guard let last, time.isNumeric, last.isNumeric else { return false }
        return times.contains { last < $0 && $0 <= time || time <= $0 && $0 < last }
    }

    /// From here on: what lies at `time` itself is not crossed (R-BTO-07).
    mutating func move(to time: CMTime) { last = time }

    func nextFrame(after time: CMTime, forward: Bool, sampleRate: Int) -> Double? {
        let next = forward ? times.first { $0 > time } : times.last { $0 < time }
        return next.map { mediaFrame(Int128($0.value), $0.timescale, sampleRate: sampleRate, up: forward) }
    }
}

/// `value / timescale` seconds in frames, rounded in the direction of movement so that the time has been reached there; exact.
private func mediaFrame(_ value: Int128, _ timescale: CMTimeScale, sampleRate: Int, up: Bool) -> Double {
    let (quotient, remainder) = (value * Int128(sampleRate)).quotientAndRemainder(dividingBy: Int128(timescale))
    if remainder == 0 { return Double(quotient) }
    return Double(up ? quotient + (remainder > 0 ? 1 : 0) : quotient - (remainder < 0 ? 1 : 0))
}

/// All time observers of a player: what each wants next, and whom a movement concerns. `AVPlayer` arms one timer for all of them.
@MainActor struct TimeObservers {
    enum Kind {
        case periodic(PeriodicGrid)
        case boundary(BoundaryTimes)
    }
    private struct Entry {
        var kind: Kind
        let call: TimeObserverCall
        /// When it was last called: calls are at least 10 ms apart in real time (R-PTO-03).
        var lastCall: HostTime?
        /// It is to be called in this turn.
        var isDue = false
    }
    static let shortestPeriod = 0.010

    private var entries: [Entry] = []
    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ kind: Kind, _ call: TimeObserverCall, at time: CMTime) {
        entries.append(Entry(kind: kind, call: call))
        restart(entries.count - 1, at: time)
    }

    /// False where it is not one of ours, or was removed before.
    mutating func remove(_ call: TimeObserverCall) -> Bool {
        guard let index = entries.firstIndex(where: { $0.call === call }), !call.isRemoved else { return false }
        call.remove()
        entries.remove(at: index)
        return true
    }

    private mutating func restart(_ index: Int, at time: CMTime) {
        switch entries[index].kind {
        case .periodic(var grid):
            grid.move(to: time)
            entries[index].kind = .periodic(grid)
        case .boundary(var boundary):
            boundary.move(to: time)
            entries[index].kind = .boundary(boundary)
        }
    }

    /// Time moved on by itself to `time`.
    mutating func advance(to time: CMTime, at now: HostTime) {
        entries.removeAll { $0.call.isRemoved }
        for index in entries.indices {
            switch entries[index].kind {
            case .periodic(let grid):
                if grid.reaches(time) {
                    if let last = entries[index].lastCall, now - last < Self.shortestPeriod - 1e-6 { continue }
                    entries[index].isDue = true
                }
            case .boundary(let boundary):
                if boundary.crosses(time) { entries[index].isDue = true }
            }
            restart(index, at: time)
        }
    }

    /// Time is elsewhere: periodic observers are called (R-PTO-02a), boundaries in between are not crossed (R-BTO-03).
    mutating func jump(to time: CMTime, callsPeriodic: Bool = true) {
        for index in entries.indices { restart(index, at: time) }
        if callsPeriodic { movementChanged() }
    }

    /// Time started or stopped moving: periodic observers are called (R-PTO-02b, c).
    mutating func movementChanged() {
        for index in entries.indices {
            if case .periodic = entries[index].kind { entries[index].isDue = true }
        }
    }

    /// Calls those that are due, once each, after what has been told already in this turn.
    mutating func flush(time: CMTime, at now: HostTime, onlyBoundaries: Bool = false) {
        for index in entries.indices where entries[index].isDue {
            if onlyBoundaries, case .periodic = entries[index].kind { continue }
            entries[index].isDue = false
            entries[index].lastCall = now
            entries[index].call.deliver(time)
        }
    }

    /// There is nothing whose time could be told (R-PTO-06).
    mutating func calm() {
        for index in entries.indices { entries[index].isDue = false }
    }

    /// When the first of them is to be called next: `hostTime` says when a media frame will be heard.
    func nextMark(after time: CMTime, forward: Bool, sampleRate: Int, hostTime: (Double) -> HostTime?) -> HostTime? {
        var first: HostTime?
        for entry in entries where !entry.call.isRemoved {
            var mark: HostTime?
            switch entry.kind {
            case .periodic(let grid):
                // A point that was reached too soon after the last call is still due.
                if grid.reaches(time), let last = entry.lastCall {
                    mark = last + Self.shortestPeriod
                } else {
                    mark = grid.nextFrame(after: time, forward: forward, sampleRate: sampleRate).flatMap(hostTime)
                    if let last = entry.lastCall, let next = mark { mark = max(next, last + Self.shortestPeriod) }
                }
            case .boundary(let boundary):
                mark = boundary.nextFrame(after: time, forward: forward, sampleRate: sampleRate).flatMap(hostTime)
            }
            if let mark { first = min(first ?? mark, mark) }
        }
        return first
    }
}
