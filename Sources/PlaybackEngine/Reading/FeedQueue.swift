import Synchronization

/// The queue of decoded audio from the feeder's thread to the engine's thread. The feeder stops reading media if the queue has enough frames.
///
/// Each order to the feeder (for example for a seek or after a load) begins a new generation of elements. The elements of the former generation are
/// removed from the queue, so that the engine never receives them.
final class FeedQueue: Sendable {
    private struct State {
        /// The elements in the order of playback. An element that the engine has taken is replaced by nil, so that the memory of its audio is freed
        /// at once.
        var elements: [FeedElement?] = []
        var head = 0
        var frames = 0
        var generation = 0
        var isFilling = true
        /// The number of frames below which the feeder no longer waits for the opening of the following item (`staysAbove`); 0 if it does not wait.
        var awaitedLevel = 0
        /// The media position, in frames, at which the audio of the generation begins; nil until the generation's first element (`.start` or `.join`)
        /// arrives.
        var landing: Int64?
        var missed = MissedCorrections()
        /// The number of corrections in `elements`, so that the engine's steps need not search for one.
        var corrections = 0
        /// The index of the next correction; nil if the queue has none.
        var correction: Int? { corrections == 0 ? nil : elements[head...].firstIndex { if case .correction = $0 { true } else { false } } }

        mutating func takeCorrection() -> PositionCorrection? {
            guard let index = correction, case .correction(let correction)? = elements[index] else { return nil }
            let (item, frames) = (correction.item, correction.frames)
            elements.remove(at: index)
            corrections -= 1
            var isLanding = false
            for before in head..<index {
                if case .start(item, let position) = elements[before], position == landing { isLanding = true }
                if case .join(item, let position, _) = elements[before], position == landing { isLanding = true }
                elements[before] = elements[before]?.corrected(item, by: frames)
            }
            if isLanding { landing = landing.map { $0 + frames } }
            return correction
        }
    }
    private let state = Mutex(State())
    /// The limits of the queue, in frames. The feeder stops reading if the queue has at least `high` frames, and continues if the queue has fewer
    /// than `low` frames. Because the limits differ, the feeder's thread wakes seldom.
    private let limits = Mutex((low: 1, high: 2))

    /// Whether the engine waits for an element. The engine sets `isAwaited` after it has found the queue empty. If `isAwaited` is true, the feeder
    /// wakes the engine after it has added the next element.
    private let isAwaited = Atomic<Bool>(false)

    func consumerWaits() { isAwaited.store(true, ordering: .sequentiallyConsistent) }
    /// Returns whether the engine waits and has to be woken, and records that the engine no longer waits.
    func answerConsumer() -> Bool { isAwaited.exchange(false, ordering: .sequentiallyConsistent) }

    func setLimits(low: Int, high: Int) { limits.withLock { $0 = (low, high) } }

    /// Removes all elements and begins a generation of elements. Only the feeder's thread calls `begin`.
    func begin(generation: Int) {
        state.withLock { state in
            state.elements.removeAll(keepingCapacity: true)
            state.head = 0
            state.frames = 0
            state.generation = generation
            state.isFilling = true
            state.awaitedLevel = 0
            state.landing = nil
            state.corrections = 0
        }
    }

    func push(_ element: FeedElement) {
        state.withLock { state in
            state.elements.append(element)
            state.awaitedLevel = 0
            switch element {
            case .start(_, let position), .join(_, let position, _): state.landing = state.landing ?? position
            case .block(_, let block): state.frames += block.frameCount
            case .correction: state.corrections += 1
            case .end, .broken, .truncate: break
            }
        }
    }

    /// The generation (the number of the order) to which the elements of the queue belong.
    var generation: Int { state.withLock { $0.generation } }
    var frames: Int { state.withLock { $0.frames } }

    /// Whether the feeder should continue to read, by the limits of the queue.
    var wantsMore: Bool {
        let (low, high) = limits.withLock { $0 }
        return state.withLock { state in
            if state.frames >= high { state.isFilling = false } else if state.frames < low { state.isFilling = true }
            return state.isFilling
        }
    }

    /// Whether the feeder has stopped reading, because the queue has enough frames.
    var isFull: Bool { state.withLock { !$0.isFilling } }

    /// Whether the feeder has stopped reading or waits (`staysAbove`), and the queue has since fallen below its low limit or the awaited level.
    var isHungry: Bool {
        let low = limits.withLock { $0.low }
        return state.withLock { (!$0.isFilling && $0.frames < low) || $0.frames < $0.awaitedLevel }
    }

    /// Returns whether the queue has at least `frames` frames, so that the feeder can wait for the opening of the following item. If so, `isHungry`
    /// becomes true as soon as the queue has fewer frames.
    func staysAbove(_ frames: Int) -> Bool {
        state.withLock { state in
            state.awaitedLevel = state.frames >= frames ? frames : 0
            return state.awaitedLevel > 0
        }
    }

    /// Takes the next element of a generation from the queue. Returns nil if the queue has no elements or belongs to another generation.
    func take(generation: Int) -> FeedElement? {
        state.withLock { state in
            guard state.generation == generation, state.head < state.elements.count, let element = state.elements[state.head] else { return nil }
            // A correction applies to all positions of the engine, so only `takeCorrection` takes it. The elements after the correction wait until
            // then.
            if case .correction = element { return nil }
            state.elements[state.head] = nil
            state.head += 1
            if case .block(_, let block) = element { state.frames -= block.frameCount }
            if state.head > 64, state.head * 2 > state.elements.count {
                state.elements.removeFirst(state.head)
                state.head = 0
            }
            return element
        }
    }

    /// Takes the next element from the queue if the element is a truncation (`.truncate`), and returns the truncation's item; otherwise returns nil.
    /// The engine takes a truncation even if the ring is full, because the audio that is to be discarded may be heard at any moment.
    func takeTruncation(generation: Int) -> ItemID? {
        state.withLock { state in
            guard state.generation == generation, state.head < state.elements.count, case .truncate(let item) = state.elements[state.head] else {
                return nil
            }
            state.head += 1
            return item
        }
    }

    /// Removes the next correction of a generation from the queue, and corrects the positions of the elements before it. Returns the correction,
    /// which applies to all audio that was taken from the queue before; nil if there is none.
    func takeCorrection(generation: Int) -> PositionCorrection? {
        state.withLock { $0.generation == generation ? $0.takeCorrection() : nil }
    }

    /// Whether the queue has a correction that the engine has not taken.
    func hasCorrection(generation: Int) -> Bool { state.withLock { $0.generation == generation && $0.correction != nil } }

    /// Adds the corrections that the engine has not received to the position of an order that continues other audio (`FeedOrder.base`). The position
    /// of another order, for example a seek, does not change. Must be called before the queue begins the order's generation. Returns the number of
    /// frames by which the position was too small.
    func correct(_ order: inout FeedOrder) -> Int64 {
        let item = order.item
        return state.withLock { state in
            let untaken = state.elements[state.head...].reduce(Int64(0)) { sum, element in
                if case .correction(let correction) = element, correction.item == item { sum + correction.frames } else { sum }
            }
            return state.missed.correct(&order, generation: state.generation, untaken: untaken)
        }
    }

    /// Records the number of frames that `correct` has returned for an order. Called if the order is interrupted before the queue begins its
    /// generation.
    func keep(_ correction: Int64, of order: FeedOrder) { state.withLock { $0.missed.keep(correction, of: order) } }

    /// Removes the elements after the end of `item`. If the engine has already taken the end of `item` from the queue, all elements are removed.
    ///
    /// - Returns: true if the queue contains the end of `item`. True also means that the engine has taken no element after the end of `item`.
    func cut(after item: ItemID) -> Bool {
        state.withLock { state in
            let rest = state.elements[state.head...]
            guard let at = rest.firstIndex(where: { $0?.ends(item) ?? false }) else {
                if !rest.isEmpty { state.elements.removeSubrange(state.head...) }
                (state.frames, state.corrections) = (0, 0)
                return false
            }
            state.elements.removeSubrange((at + 1)...)
            state.frames = state.elements[state.head...].reduce(0) { sum, element in
                if case .block(_, let block) = element { sum + block.frameCount } else { sum }
            }
            state.corrections = state.elements[state.head...].count { if case .correction = $0 { true } else { false } }
            return true
        }
    }

    /// Returns the landing of a generation (a media position, in frames), the number of frames in the queue, and whether the queue contains the end
    /// of an item or a read failure. The engine decides by the landing, the frames and the end whether to switch playback over to the generation.
    /// Returns nil if the queue has no element of the generation.
    func readiness(generation: Int) -> (landing: Int64, frames: Int, hasEnd: Bool)? {
        state.withLock { state in
            guard state.generation == generation, state.head < state.elements.count, let landing = state.landing else { return nil }
            let hasEnd = state.elements[state.head...].contains {
                switch $0 {
                case .end, .broken: true
                default: false
                }
            }
            return (landing, state.frames, hasEnd)
        }
    }
}
