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

    /// The counts of all operations, sorted by operation id.
    var all: [(id: String, operation: Operation)] {
        operations.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
