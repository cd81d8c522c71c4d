/// The corrections of estimated positions (R-SEEK-24) that the engine has not received. If an order continues the corrected audio, the engine has
/// computed the order's position without these corrections, so they are added to the position. An order removes all elements from the queue, with the
/// corrections among them, so the missed corrections are recorded here, by the generation of their audio.
struct MissedCorrections {
    /// The corrections that the engine has not received, in frames (never 0), by the generation of the audio.
    private var frames: [Int: Int64] = [:]

    /// The maximum number of generations that are recorded. Seeks that follow each other at once add one generation each.
    private static let capacity = 16

    /// Adds the missed corrections to the position of an order that continues other audio (`FeedOrder.base`). Returns their sum: the number of frames
    /// by which the position was too small. The position of another order, for example a seek, does not change: `correct` then only records
    /// `untaken`, and returns 0. Must be called before the queue begins the order's generation.
    ///
    /// - Parameters:
    ///   - generation: the generation of the audio in the queue.
    ///   - untaken: the sum of the corrections in the queue that the engine has not taken, in frames.
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

    /// Records the number of frames that `correct` has returned for an order. Called if the order is interrupted before its generation begins,
    /// because the next order may continue the audio of the interrupted order.
    mutating func keep(_ correction: Int64, of order: FeedOrder) {
        if order.base != nil, correction != 0 { frames[order.generation] = correction }
    }
}
