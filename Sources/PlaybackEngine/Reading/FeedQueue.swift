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
        }
    }

    func push(_ element: FeedElement) {
        state.withLock { state in
            state.elements.append(element)
            state.awaitedLevel = 0
            switch element {
            case .start(_, let position), .join(_, let position, _): state.landing = state.landing ?? position
            case .block(_, let block): state.frames += block.frameCount
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

    /// Removes the elements after the end of `item`. If the engine has already taken the end of `item` from the queue, all elements are removed.
    ///
    /// - Returns: true if the queue contains the end of `item`. True also means that the engine has taken no element after the end of `item`.
    func cut(after item: ItemID) -> Bool {
        state.withLock { state in
            let rest = state.elements[state.head...]
            guard let at = rest.firstIndex(where: { $0?.ends(item) ?? false }) else {
                if !rest.isEmpty { state.elements.removeSubrange(state.head...) }
                state.frames = 0
                return false
            }
            state.elements.removeSubrange((at + 1)...)
            state.frames = state.elements[state.head...].reduce(0) { sum, element in
                if case .block(_, let block) = element { sum + block.frameCount } else { sum }
            }
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
