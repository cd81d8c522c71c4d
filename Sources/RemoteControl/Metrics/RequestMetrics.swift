import Synchronization

/// By operation and status, with the time until the answer. WebSocket commands count too.
final class RequestMetrics: Sendable {
    /// Upper bounds, in seconds.
    static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

    struct Operation: Sendable {
        var statuses: [Int: Int] = [:]
        /// One number for each bound in `bounds`, and one for longer durations.
        var times = [Int](repeating: 0, count: bounds.count + 1)
        var seconds = 0.0
        var count: Int { times.reduce(0, +) }
    }

    private let operations = Mutex<[String: Operation]>([:])

    /// - Parameter operation: Its id; nil for a file, and for a request that was refused before its route was known.
    func count(operation: String?, status: Int, seconds: Double) {
        let seconds = max(0, seconds)
        let stretch = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        operations.withLock { operations in
            operations[operation ?? "other", default: Operation()].statuses[status, default: 0] += 1
            operations[operation ?? "other"]?.times[stretch] += 1
            operations[operation ?? "other"]?.seconds += seconds
        }
    }

    /// Sorted by id.
    var all: [(id: String, operation: Operation)] {
        operations.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
