/// The moves of playback from one output to another, which the entity tag of the outputs counts.
@MainActor final class OutputMoves {
    /// The number of beginnings and ends of moves since the start.
    private(set) var count = 0
    private var underWay = 0

    nonisolated init() {}

    /// Whether playback is being moved, so that the chosen output is about to change.
    var isUnderWay: Bool { underWay > 0 }

    func begin() {
        underWay += 1
        count += 1
    }

    func end() {
        underWay -= 1
        count += 1
    }
}
