import Platform
import Playlist

/// The newest request that has changed the player and is not answered yet. The write of the change waits a moment for the request's answer, because
/// most answers follow at once. Then one transaction contains the change and the answer, and no end of the program can separate them.
struct AwaitedAnswer {
    /// The longest time for which a write waits, in seconds. This time suffices to encode a large answer on a busy machine. It does not suffice for a
    /// request that waits for an item to load: the change of such a request is written without an answer.
    static let patience = 0.05

    private var number: Int64 = 0
    /// The host time until which the write waits; nil if it need not wait.
    private(set) var end: HostTime?

    /// Records the answers that the next write will contain. If they contain an unanswered request that is newer than the known one, the write waits
    /// for its answer.
    mutating func note(_ answers: SavedAnswers, at now: HostTime) {
        let newest = answers.answers.lazy.filter { $0.response == nil }.map(\.number).max() ?? 0
        if newest > number {
            number = newest
            // Further requests do not postpone the write.
            end = end ?? now + Self.patience
        } else if newest < number {
            // The awaited request was answered, or is not kept any more.
            end = nil
        }
    }

    /// Records that a write begins, which ends the wait.
    mutating func noteWrite() { end = nil }

    /// Whether a write must wait.
    func mustWait(at now: HostTime) -> Bool { end.map { now < $0 } ?? false }
}
