/// Counts the moves of playback from one output to another. The count is a part of the outputs' entity tag.
@MainActor final class OutputMoves {
    /// The number of moves that have begun, plus the number of moves that have ended, since the start of the server.
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
