import Synchronization

extension Tape {
    /// The end of a tape to which the feeder appends the audio of one request of the engine (`FeedOrder`), and from which the engine takes it. The
    /// feeder stops reading media while enough frames wait here. Any thread may use the write end.
    final class WriteEnd: Sendable {
        private struct State {
            /// The elements; nil in place of one that was taken, so that only the tape keeps its audio.
            var elements: [Element?] = []
            var head = 0
            var frames = 0
            /// The limits in frames: the feeder stops at `high`, and continues below `low`. Because the limits differ, the feeder's thread wakes
            /// seldom.
            var limits: (low: Int, high: Int)
            var isFilling = true
            /// The number of frames below which the feeder no longer waits for the opening of the following item; 0 if it does not wait.
            var awaitedLevel = 0
            /// Whether the engine waits for an element; it does from the beginning.
            var isAwaited = true
            var truncation: ItemID?

            mutating func wantsMore() -> Bool {
                if frames >= limits.high { isFilling = false } else if frames < limits.low { isFilling = true }
                return isFilling
            }
        }
        private let state: Mutex<State>

        init(limits: (low: Int, high: Int) = (1, 2)) { state = Mutex(State(limits: limits)) }

        func setLimits(_ limits: (low: Int, high: Int)) { state.withLock { $0.limits = limits } }
        /// The number of frames that the engine has not taken.
        var frames: Int { state.withLock { $0.frames } }

        // MARK: The feeder

        func append(_ element: Element) {
            state.withLock { state in
                state.elements.append(element)
                state.frames += element.frameCount
                state.awaitedLevel = 0
            }
        }

        /// Removes the elements after the end of `item`. If the engine has taken that end, all elements are removed, and the engine has to discard
        /// the elements that it has taken after the end (`takeTruncation`).
        func truncate(after item: ItemID) {
            state.withLock { state in
                if let end = state.elements[state.head...].firstIndex(where: { $0?.endedItem == item }) {
                    state.elements.removeSubrange((end + 1)...)
                } else {
                    state.elements.removeSubrange(state.head...)
                    state.truncation = item
                }
                state.frames = state.elements.reduce(0) { $0 + ($1?.frameCount ?? 0) }
            }
        }

        /// Removes all elements, because the feeder begins another order.
        func removeAll() { state.withLock { $0 = State(limits: $0.limits, truncation: $0.truncation) } }

        /// Whether the feeder should continue to read, by the limits.
        var wantsMore: Bool { state.withLock { $0.wantsMore() } }

        /// Returns whether at least `frames` frames wait, so that the feeder can wait for the opening of the following item. If so, `isHungry`
        /// becomes true as soon as fewer frames wait.
        func staysAbove(_ frames: Int) -> Bool {
            state.withLock { state in
                state.awaitedLevel = state.frames >= frames ? frames : 0
                return state.awaitedLevel > 0
            }
        }

        /// Returns whether the engine has to be woken, because it waits for an element, or can report that the buffer is full. Afterwards the engine
        /// no longer counts as waiting.
        func answerEngine() -> Bool {
            state.withLock { state in
                defer { state.isAwaited = false }
                return state.isAwaited || !state.wantsMore()
            }
        }

        // MARK: The engine

        /// Takes the next element. Returns nil if there is none or if a truncation comes first; the feeder then wakes the engine.
        func take() -> Element? {
            state.withLock { state in
                guard state.truncation == nil, state.head < state.elements.count, let element = state.elements[state.head] else {
                    state.isAwaited = true
                    return nil
                }
                state.elements[state.head] = nil
                state.head += 1
                state.frames -= element.frameCount
                if state.head > 64, state.head * 2 > state.elements.count {
                    state.elements.removeFirst(state.head)
                    state.head = 0
                }
                return element
            }
        }

        /// Takes the item after whose end the engine has to discard what it has taken, because other items follow it now.
        func takeTruncation() -> ItemID? {
            state.withLock { state in
                defer { state.truncation = nil }
                return state.truncation
            }
        }

        /// Returns the media position, in frames, at which the audio of the order begins, if at least `frames` of its frames or the end of an item
        /// wait, and no element was taken. Otherwise nil, and the feeder wakes the engine after the next element.
        func landing(withFrames frames: Int) -> Int64? {
            state.withLock { state in
                let isReady = state.frames >= frames || state.elements.contains { $0?.endedItem != nil }
                switch state.elements.first ?? nil {
                case .start(_, let position)? where isReady, .join(_, let position, _)? where isReady: return position
                default:
                    state.isAwaited = true
                    return nil
                }
            }
        }

        /// Whether the feeder has stopped reading, because enough frames wait.
        var isFull: Bool { state.withLock { !$0.isFilling } }

        /// Whether the feeder has stopped reading or waits (`staysAbove`), and fewer frames are left than its low limit or the awaited level.
        var isHungry: Bool { state.withLock { (!$0.isFilling && $0.frames < $0.limits.low) || $0.frames < $0.awaitedLevel } }
    }
}
