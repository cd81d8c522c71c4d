import Synchronization

/// Sound that waits for somebody who listens to an item: bounded, so that who does not read costs no more than that. The oldest goes first where it is
/// too much, and the next that is read tells how much went. Any thread may push and take.
package final class SampleQueue: Sendable {
    /// What is read, and how it follows on what was read before.
    package struct Element: Sendable {
        package var sound: TappedBlock
        /// It begins elsewhere than where the one before ended, or is the first.
        package var isDiscontinuous: Bool
        /// Frames that went before it because nobody read them.
        package var droppedFrames: Int
    }
    private struct State {
        var blocks: [TappedBlock] = []
        var frames = 0
        var droppedFrames = 0
        /// Where what is read next begins, or backwards ends, if it follows.
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
    /// Seconds of sound that are kept at most.
    private let seconds: Double

    /// - Parameter seconds: how much sound is kept at most; a single block always is.
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

    /// The oldest that waits, nil where nothing does. Never blocks for long.
    package func take() -> Element? { state.withLock { $0.take() } }

    /// The oldest, as soon as there is one; nil once nothing can come any more, or the task was cancelled.
    package func next() async -> Element? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isServed, element) = state.withLock { state -> (Bool, Element?) in
                    // Cancelled before it waits: the handler has run and found nobody.
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

    /// Nothing comes any more; what waits can still be read.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// Something may come again; what waits is forgotten.
    package func reopen() {
        state.withLock { state in
            state.isFinished = false
            // Of the item before.
            (state.blocks, state.frames, state.droppedFrames, state.expected) = ([], 0, 0, nil)
        }
    }
}
