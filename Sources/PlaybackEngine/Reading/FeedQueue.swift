import Synchronization

/// The bounded way from the feeder's thread to the engine's. A seek or a load starts a new generation: elements of an older one never reach the engine
/// once the newer one has begun.
final class FeedQueue: Sendable {
    private struct State {
        /// An element that was taken is nil, so that its audio is freed at once.
        var elements: [FeedElement?] = []
        var head = 0
        var frames = 0
        var generation = 0
        var isFilling = true
        /// The position of the generation's first `.start`.
        var landing: Int64?
    }
    private let state = Mutex(State())
    /// The feeder stops above `high` frames and goes on below `low`, so that it works in few, long turns.
    private let limits = Mutex((low: 1, high: 2))

    /// Set by the engine when it found nothing; the feeder then wakes it with the next element.
    private let isAwaited = Atomic<Bool>(false)

    func consumerWaits() { isAwaited.store(true, ordering: .sequentiallyConsistent) }
    /// Whether the engine must be woken; asking answers for it.
    func answerConsumer() -> Bool { isAwaited.exchange(false, ordering: .sequentiallyConsistent) }

    func setLimits(low: Int, high: Int) { limits.withLock { $0 = (low, high) } }

    /// Empties the queue and begins a generation. The feeder's thread.
    func begin(generation: Int) {
        state.withLock { state in
            state.elements.removeAll(keepingCapacity: true)
            state.head = 0
            state.frames = 0
            state.generation = generation
            state.isFilling = true
            state.landing = nil
        }
    }

    func push(_ element: FeedElement) {
        state.withLock { state in
            state.elements.append(element)
            switch element {
            case .start(_, let position): state.landing = state.landing ?? position
            case .block(_, let block): state.frames += block.frameCount
            case .end, .broken, .truncate: break
            }
        }
    }

    /// The generation of what the queue holds.
    var generation: Int { state.withLock { $0.generation } }
    var frames: Int { state.withLock { $0.frames } }

    /// Whether the feeder should read on.
    var wantsMore: Bool {
        let (low, high) = limits.withLock { $0 }
        return state.withLock { state in
            if state.frames >= high { state.isFilling = false } else if state.frames < low { state.isFilling = true }
            return state.isFilling
        }
    }

    /// The feeder has read as far ahead as it wants.
    var isFull: Bool { state.withLock { !$0.isFilling } }

    /// Whether taking has made the queue hungry since the feeder went to sleep.
    var isHungry: Bool {
        let low = limits.withLock { $0.low }
        return state.withLock { !$0.isFilling && $0.frames < low }
    }

    /// Takes the next element of generation `generation`; nil where there is none or the queue holds another generation.
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

    /// Takes a truncation that is next. It does not wait for room in the ring: what it makes void may be heard any moment.
    func takeTruncation(generation: Int) -> ItemID? {
        state.withLock { state in
            guard state.generation == generation, state.head < state.elements.count, case .truncate(let item) = state.elements[state.head] else {
                return nil
            }
            state.head += 1
            return item
        }
    }

    /// Removes what has not been taken behind the end of `item`. True where that end itself has not been taken yet, so that nothing behind it has.
    func cut(after item: ItemID) -> Bool {
        state.withLock { state in
            let rest = state.elements[state.head...]
            guard let at = rest.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else {
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

    /// The position at which a generation begins, its waiting frames, and whether it holds an end of an item or of its data: enough to switch over to
    /// it. Nil if it has not begun.
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
