import CoreMedia
import Platform
import PlaybackEngine

/// The grid of a periodic observer: the multiples of its interval on the item's timeline (R-PTO-01, R-PTO-07), as a pure value.
struct PeriodicGrid {
    let interval: CMTime
    private var last: CMTime?

    /// - Parameter interval: The interval of the observer, which must be numeric and positive.
    init(interval: CMTime) { self.interval = interval }

    /// Returns the number of intervals in `time`, rounded down or up to an integer; the computation is exact.
    private func count(in time: CMTime, up: Bool) -> Int128 {
        let numerator = Int128(time.value) * Int128(interval.timescale)
        let denominator = Int128(time.timescale) * Int128(interval.value)
        let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
        if remainder == 0 { return quotient }
        return up ? quotient + (numerator > 0 ? 1 : 0) : quotient - (numerator < 0 ? 1 : 0)
    }

    /// Returns whether playback to `time` has reached a grid point (a multiple of the interval) since the last call of `move`.
    func reaches(_ time: CMTime) -> Bool {
        guard let last, time.isNumeric, last.isNumeric else { return false }
        return time >= last ? count(in: time, up: false) > count(in: last, up: false) : count(in: time, up: true) < count(in: last, up: true)
    }

    /// Sets the time after which the next grid point (a multiple of the interval) is searched.
    mutating func move(to time: CMTime) { last = time }

    /// Returns the media frame, at `sampleRate`, of the next grid point (multiple of the interval); nil if no grid point follows.
    func nextFrame(after time: CMTime, forward: Bool, sampleRate: Int) -> Double? {
        guard time.isNumeric else { return nil }
        let index = forward ? count(in: time, up: false) + 1 : count(in: time, up: true) - 1
        guard index >= 0 else { return nil }
        return mediaFrame(index * Int128(interval.value), interval.timescale, sampleRate: sampleRate, up: forward)
    }
}

/// The times of a boundary observer (R-BTO-01…09), as a pure value.
struct BoundaryTimes {
    /// The numeric times of the observer, ascending. Boundary times that are not numeric are ignored (R-BTO-08).
    let times: [CMTime]
    private var last: CMTime?

    init(times: [CMTime]) { self.times = times.filter(\.isNumeric).sorted() }

    /// Returns whether playback to `time` has crossed a boundary since the last call of `move` (R-BTO-06). Boundaries that are close together share
    /// one call of the observer (R-BTO-03).
    func crosses(_ time: CMTime) -> Bool {
        guard let last, time.isNumeric, last.isNumeric else { return false }
        return times.contains { last < $0 && $0 <= time || time <= $0 && $0 < last }
    }

    /// Sets the time after which boundaries count as crossed. A boundary at `time` itself does not count as crossed (R-BTO-07).
    mutating func move(to time: CMTime) { last = time }

    func nextFrame(after time: CMTime, forward: Bool, sampleRate: Int) -> Double? {
        let next = forward ? times.first { $0 > time } : times.last { $0 < time }
        return next.map { mediaFrame(Int128($0.value), $0.timescale, sampleRate: sampleRate, up: forward) }
    }
}

/// Converts a time of `value / timescale` seconds to media frames, rounded in the direction of playback, so that playback has reached the time at
/// that frame.
private func mediaFrame(_ value: Int128, _ timescale: CMTimeScale, sampleRate: Int, up: Bool) -> Double {
    let (quotient, remainder) = (value * Int128(sampleRate)).quotientAndRemainder(dividingBy: Int128(timescale))
    if remainder == 0 { return Double(quotient) }
    return Double(up ? quotient + (remainder > 0 ? 1 : 0) : quotient - (remainder < 0 ? 1 : 0))
}

/// All time observers of a player. `AVPlayer` has one timer for the next call of any of its time observers.
@Turn final class TimeObservers {
    enum Kind {
        case periodic(PeriodicGrid)
        case boundary(BoundaryTimes)
    }
    private struct Entry {
        var kind: Kind
        let call: TimeObserverCall
        /// The host time of the last call of the observer; nil before the first call. Calls are at least 10 ms apart in real time (R-PTO-03).
        var lastCall: HostTime?
        /// Whether the time observer will be called in the present turn.
        var isDue = false
    }
    static let shortestPeriod = 0.010

    nonisolated init() {}

    private var entries: [Entry] = []
    /// The output frame up to which playback has advanced.
    private(set) var frame = Int64.min
    var isEmpty: Bool { entries.isEmpty }

    func add(_ kind: Kind, _ call: TimeObserverCall, at time: CMTime) {
        entries.append(Entry(kind: kind, call: call))
        restart(entries.count - 1, at: time)
    }

    /// Removes a time observer. Returns false if the observer is unknown or was removed before.
    func remove(_ call: TimeObserverCall) -> Bool {
        guard let index = entries.firstIndex(where: { $0.call === call }), !call.isRemoved else { return false }
        call.remove()
        entries.remove(at: index)
        return true
    }

    private func restart(_ index: Int, at time: CMTime) {
        switch entries[index].kind {
        case .periodic(var grid):
            grid.move(to: time)
            entries[index].kind = .periodic(grid)
        case .boundary(var boundary):
            boundary.move(to: time)
            entries[index].kind = .boundary(boundary)
        }
    }

    /// Marks the observers that are due because playback has advanced to `time`.
    func advance(to time: CMTime, at now: HostTime, frame: Int64) {
        self.frame = frame
        advance(to: time, at: now)
    }

    /// Handles a turn of a loop: marks the observers that are due before the turn. The boundaries between the loop's end and its start do not count
    /// as crossed (R-TURN-05).
    func turn(from end: CMTime, to start: CMTime, at now: HostTime) {
        advance(to: end, at: now)
        jump(to: start, callsPeriodic: false)
    }

    private func advance(to time: CMTime, at now: HostTime) {
        let removed = entries.filter { $0.call.isRemoved }.map(\.call)
        if !removed.isEmpty {
            // Their blocks may hold the last reference of an object of the program.
            Turn.keep(removed)
            entries.removeAll { $0.call.isRemoved }
        }
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

    /// Handles a jump of the position: periodic observers become due (R-PTO-02a). Boundaries between the positions before and after a jump do not
    /// count as crossed (R-BTO-03).
    func jump(to time: CMTime, callsPeriodic: Bool = true) {
        for index in entries.indices { restart(index, at: time) }
        if callsPeriodic { movementChanged() }
    }

    /// Handles a start or stop of the media time: periodic observers become due (R-PTO-02b, c).
    func movementChanged() {
        for index in entries.indices {
            if case .periodic = entries[index].kind { entries[index].isDue = true }
        }
    }

    /// Calls each time observer that is due, once. The observers are called after the notifications that are already enqueued in the present turn.
    func flush(time: CMTime, at now: HostTime, onlyBoundaries: Bool = false) {
        for index in entries.indices where entries[index].isDue {
            if onlyBoundaries, case .periodic = entries[index].kind { continue }
            entries[index].isDue = false
            entries[index].lastCall = now
            entries[index].call.deliver(time)
        }
    }

    /// Cancels all calls of observers that are due, because the player has no item whose time could be reported (R-PTO-06).
    func calm() {
        for index in entries.indices { entries[index].isDue = false }
    }

    /// Returns the host time of the next call of any time observer. The closure `hostTime` returns the host time at which a media frame is heard.
    func nextMark(after time: CMTime, forward: Bool, sampleRate: Int, hostTime: (Double) -> HostTime?) -> HostTime? {
        var first: HostTime?
        for entry in entries where !entry.call.isRemoved {
            var mark: HostTime?
            switch entry.kind {
            case .periodic(let grid):
                // A grid point (a multiple of the interval) that was reached less than 10 ms after the last call of the observer is still due.
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
