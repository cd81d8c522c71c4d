/// The corrections of estimated positions (R-SEEK-24) that the engine has not received before an order of another generation. If an order continues
/// audio with uncorrected positions, its position is corrected.
struct MissedCorrections {
    /// The numbers of frames, by the generation of the audio; not 0.
    private var frames: [Int: Int64] = [:]

    /// The largest number of generations that are kept: seeks that follow each other at once.
    private static let capacity = 16

    /// Corrects the position of an order, before its generation begins. Returns the number of frames by which it was too small.
    ///
    /// - Parameters:
    ///   - generation: The generation of the audio in the queue.
    ///   - untaken: The sum of the corrections in the queue, in frames.
    mutating func correct(_ order: inout FeedOrder, generation: Int, untaken: Int64) -> Int64 {
        guard let base = order.base else {
            if frames.count >= Self.capacity { frames.removeAll() }
            frames[generation] = untaken == 0 ? nil : untaken
            return 0
        }
        let missed = base == generation ? untaken : frames[base] ?? 0
        frames.removeAll()
        order.position = max(0, order.position + missed)
        return missed
    }

    /// Records the correction of the position of an order that was interrupted before its generation began. The next order may continue the audio of
    /// this one.
    mutating func keep(_ correction: Int64, of order: FeedOrder) {
        if order.base != nil, correction != 0 { frames[order.generation] = correction }
    }
}
