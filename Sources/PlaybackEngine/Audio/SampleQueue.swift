import Synchronization

/// A bounded queue of decoded audio for one listener of an item. If the listener does not read in time, the oldest blocks are discarded, and the next
/// element of the queue states the number of lost frames. Any thread may push blocks to the queue and take blocks from it.
package final class SampleQueue: Sendable {
    /// A block of audio, and its relation to the block that the listener read before it.
    package struct Element: Sendable {
        package var sound: TappedBlock
        /// Whether the block is the first one, or does not continue the block that the listener read before it.
        package var isDiscontinuous: Bool
        /// The number of frames that were discarded directly before this block, because the listener did not read them in time.
        package var droppedFrames: Int
    }
    private struct State {
        var blocks: [TappedBlock] = []
        var frames = 0
        var droppedFrames = 0
        /// The media position, in frames, at which the next block begins if it continues the preceding block; in reverse playback, the position at
        /// which such a block ends. Nil before the listener has read a block.
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
    /// The capacity of the queue, in seconds of audio.
    private let seconds: Double

    /// - Parameter seconds: the capacity of the queue, in seconds of audio. A single block always fits into the queue.
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

    /// Removes and returns the oldest element; nil if the queue is empty. `take` does not wait for an element.
    package func take() -> Element? { state.withLock { $0.take() } }

    /// Removes and returns the oldest element, after waiting for an element if the queue is empty. Returns nil if the queue is finished and empty, or
    /// if the task was cancelled.
    package func next() async -> Element? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isServed, element) = state.withLock { state -> (Bool, Element?) in
                    // If the task was cancelled before it waits, the cancellation handler has already run without finding a waiting task.
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

    /// Ends the queue. The remaining elements of the queue can still be read.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Discards all elements of the queue, and lets the queue accept blocks again.
    package func reopen() {
        state.withLock { state in
            state.isFinished = false
            // When a queue is reopened for another item, the elements that remain in the queue belong to the former item.
            (state.blocks, state.frames, state.droppedFrames, state.expected) = ([], 0, 0, nil)
        }
    }
}
