import Synchronization

/// Counts requests and WebSocket commands by operation and status, and measures the time until each is answered. Any thread may count requests.
final class RequestMetrics: Sendable {
    /// The upper bounds, in seconds, of the intervals in the histogram of durations.
    static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

    /// The counts and durations of one operation.
    struct Operation: Sendable {
        var statuses: [Int: Int] = [:]
        /// The number of answers in each interval of durations: one number for each bound in `bounds`, and one for longer durations.
        var times = [Int](repeating: 0, count: bounds.count + 1)
        var seconds = 0.0
        var count: Int { times.reduce(0, +) }
    }

    private let operations = Mutex<[String: Operation]>([:])
    // Prepared answers of the state have counters of their own. The server may send many thousands of them a second, so a count costs only an atomic
    // addition and no lock.
    private let prepared = Atomic<Int>(0)
    private let preparedNotModified = Atomic<Int>(0)

    /// Counts an answer to a request or to a WebSocket command.
    /// - Parameter operation: The id of the operation in the table of routes; nil for a file, and for a request that was refused before its route was
    ///   known.
    func count(operation: String?, status: Int, seconds: Double) {
        let seconds = max(0, seconds)
        let stretch = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        operations.withLock { operations in
            operations[operation ?? "other", default: Operation()].statuses[status, default: 0] += 1
            operations[operation ?? "other"]?.times[stretch] += 1
            operations[operation ?? "other"]?.seconds += seconds
        }
    }

    /// Counts a prepared answer of the state, with a duration in the shortest interval.
    func countPrepared(status: Int) {
        _ = status == 304 ? preparedNotModified.add(1, ordering: .relaxed) : prepared.add(1, ordering: .relaxed)
    }

    /// The counts of all operations, sorted by operation id.
    var all: [(id: String, operation: Operation)] {
        var all = operations.withLock { $0 }
        let (ready, unchanged) = (prepared.load(ordering: .relaxed), preparedNotModified.load(ordering: .relaxed))
        if ready + unchanged > 0 {
            all["getPlayer", default: Operation()].times[0] += ready + unchanged
            if ready > 0 { all["getPlayer"]?.statuses[200, default: 0] += ready }
            if unchanged > 0 { all["getPlayer"]?.statuses[304, default: 0] += unchanged }
        }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
