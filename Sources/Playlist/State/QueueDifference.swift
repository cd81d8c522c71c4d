/// The difference between two orders of entries, as removed, moved and inserted runs.
struct QueueDifference: Equatable {
    enum Step: Equatable {
        case remove(index: Int, count: Int)
        case move(index: Int, count: Int, to: Int)
        case insert(index: Int, count: Int)
    }

    /// The largest number of steps. After an edit with more steps, clients read the queue again, which costs less.
    static let maximumStepCount = 128
    /// The largest number of runs that are sorted, because the time of sorting grows with the square of their number. With more runs, the initializer
    /// fails.
    private static let maximumRunCount = 512

    /// The steps that turn the old order into the new one: first all removals, then moves, then insertions. Each index refers to the list after the
    /// preceding steps.
    private(set) var steps: [Step] = []

    /// Finds the steps. Fails if there are too many.
    ///
    /// - Parameters:
    ///   - old: The ids in the old order.
    ///   - count: The number of ids in the new order.
    ///   - index: Returns the index of an id in the new order; nil if the new order does not have the id.
    init?(from old: [String], count: Int, index: (String) -> Int?) {
        var kept: [Int] = []
        kept.reserveCapacity(old.count)
        var isKept = [Bool](repeating: false, count: count)
        var removed = 0
        for id in old {
            if let position = index(id) {
                appendRemoval(of: &removed, at: kept.count)
                kept.append(position)
                isKept[position] = true
            } else {
                removed += 1
            }
        }
        appendRemoval(of: &removed, at: kept.count)
        guard appendMoves(of: kept, isKept), steps.count <= Self.maximumStepCount else { return nil }
        var start: Int?
        for position in 0...count {
            let isNew = position < count && !isKept[position]
            if isNew, start == nil { start = position }
            if !isNew, let first = start {
                steps.append(.insert(index: first, count: position - first))
                start = nil
            }
            if steps.count > Self.maximumStepCount { return nil }
        }
    }

    private mutating func appendRemoval(of count: inout Int, at index: Int) {
        if count > 0 { steps.append(.remove(index: index, count: count)) }
        count = 0
    }

    /// A run of entries that are consecutive in both orders. `rank` is the index of the run in the new order.
    private struct Run {
        var first: Int
        var count: Int
        var rank = 0
        var stays = false
    }

    /// Appends the moves that sort the remaining entries, whose indices in the new order are `positions`. Returns false if there are too many.
    private mutating func appendMoves(of positions: [Int], _ isKept: [Bool]) -> Bool {
        guard zip(positions, positions.dropFirst()).contains(where: { $0 > $1 }) else { return true }
        // The number of kept entries before each index of the new order.
        var ranks = [Int](repeating: 0, count: isKept.count)
        var rank = 0
        for (position, keeps) in isKept.enumerated() where keeps {
            ranks[position] = rank
            rank += 1
        }
        var runs: [Run] = []
        for position in positions {
            let rank = ranks[position]
            if let last = runs.last, last.first + last.count == rank {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(first: rank, count: 1))
                guard runs.count <= Self.maximumRunCount else { return false }
            }
        }
        for (rank, run) in runs.indices.sorted(by: { runs[$0].first < runs[$1].first }).enumerated() { runs[run].rank = rank }
        Self.chooseStaying(&runs)
        for rank in runs.indices {
            guard let from = runs.firstIndex(where: { $0.rank == rank }), !runs[from].stays else { continue }
            let index = runs[..<from].reduce(0) { $0 + $1.count }
            let run = runs.remove(at: from)
            let target = runs.firstIndex { $0.rank == rank - 1 }.map { $0 + 1 } ?? 0
            steps.append(.move(index: index, count: run.count, to: runs[..<target].reduce(0) { $0 + $1.count }))
            runs.insert(run, at: target)
            guard steps.count <= Self.maximumStepCount else { return false }
        }
        return true
    }

    /// Marks the runs that are not moved: the ascending sequence of runs with the most entries.
    private static func chooseStaying(_ runs: inout [Run]) {
        var weight = [Int](repeating: 0, count: runs.count)
        var former = [Int?](repeating: nil, count: runs.count)
        for index in runs.indices {
            for other in 0..<index where runs[other].rank < runs[index].rank && weight[other] > weight[index] {
                weight[index] = weight[other]
                former[index] = other
            }
            weight[index] += runs[index].count
        }
        var next = runs.indices.max { weight[$0] < weight[$1] }
        while let index = next {
            runs[index].stays = true
            next = former[index]
        }
    }
}
