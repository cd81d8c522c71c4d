import Synchronization

/// A bounded queue of decoded audio for one listener of an item. If the listener does not read in time, the oldest blocks are discarded, and the next
/// element states the number of lost frames. Any thread may use the queue.
package final class SampleQueue: Sendable {
    /// A block, and its relation to the block that the listener read before.
    package struct Element: Sendable {
        package var sound: TappedBlock
        /// Whether the block is the first, or does not continue the one read before.
        package var isDiscontinuous: Bool
        /// The number of frames that were discarded directly before this block.
        package var droppedFrames: Int
    }
    private struct State {
        var blocks: [TappedBlock] = []
        var frames = 0
        var droppedFrames = 0
        /// The media position, in frames, at which the next block begins (in reverse playback: ends) if it continues the block that was read last.
        /// Nil before the first block.
        var expected: (position: Int64, sampleRate: Int, isReverse: Bool)?
        var isFinished = false
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Element?, Never>)] = []
        var nextID: UInt64 = 0

        mutating func take() -> Element? {
            guard !blocks.isEmpty else { return nil }
            let sound = blocks.removeFirst()
            frames -= sound.block.frameCount
            defer {
                droppedFrames = 0
                expected = (sound.isReverse ? sound.block.position : sound.block.end, sound.format.sampleRate, sound.isReverse)
            }
            let begin = (sound.isReverse ? sound.block.end : sound.block.position, sound.format.sampleRate, sound.isReverse)
            return Element(sound: sound, isDiscontinuous: expected.map { $0 != begin } ?? true, droppedFrames: droppedFrames)
        }
    }
    private let state = Mutex(State())
    private let seconds: Double

    /// - Parameter seconds: The capacity, in seconds of audio; a single block always fits.
    package init(seconds: Double) { self.seconds = seconds }

    func push(_ sound: TappedBlock) {
        let served = state.withLock { state -> (CheckedContinuation<Element?, Never>, Element?)? in
            guard !state.isFinished else { return nil }
            state.blocks.append(sound)
            state.frames += sound.block.frameCount
            let most = Int(seconds * Double(sound.format.sampleRate))
            while state.frames > most, state.blocks.count > 1 {
                let dropped = state.blocks.removeFirst().block.frameCount
                state.frames -= dropped
                state.droppedFrames += dropped
            }
            guard !state.waiters.isEmpty else { return nil }
            return (state.waiters.removeFirst().continuation, state.take())
        }
        if let (continuation, element) = served { continuation.resume(returning: element) }
    }

    /// Removes the oldest element, without waiting; nil if the queue is empty.
    package func take() -> Element? { state.withLock { $0.take() } }

    /// Waits for the oldest element; nil if the queue is finished and empty, or the task was cancelled.
    package func next() async -> Element? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isServed, element) = state.withLock { state -> (Bool, Element?) in
                    // The cancellation handler may have run before the task waits.
                    if Task.isCancelled { return (true, nil) }
                    if let element = state.take() { return (true, element) }
                    if state.isFinished { return (true, nil) }
                    state.waiters.append((id, continuation))
                    return (false, nil)
                }
                if isServed { continuation.resume(returning: element) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(returning: nil)
        }
    }

    /// Ends the queue; the remaining elements can still be read.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Discards all elements, and accepts blocks again.
    package func reopen() {
        state.withLock { state in
            state.isFinished = false
            // The remaining blocks may belong to a former item.
            (state.blocks, state.frames, state.droppedFrames, state.expected) = ([], 0, 0, nil)
        }
    }
}
