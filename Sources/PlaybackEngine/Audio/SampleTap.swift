import Synchronization

/// A tap delivers an item's decoded audio to listeners: each frame once, in the order of playback, before loudness, volume, rate and crossfade are
/// applied. If the engine renders audio again (because of another rate, another device or other following items), the tap does not deliver the audio
/// again. After a seek or a change of direction, the tap delivers all audio from the new position on. Each pass through a loop is delivered.
///
/// Without listeners, the delivery of a block costs one lock. The engine's thread delivers blocks; any thread adds and removes listeners.
public final class SampleTap: Sendable, Hashable {
    private struct State {
        var queues: [SampleQueue]
        /// The end position and the format of the audio that was delivered last; nil if the next audio does not continue the delivered audio.
        var last: Last?
        /// The number of turns of loops before the audio that arrives next, since the last seek. A turn is the jump from a loop's end to its start.
        var turns = 0
        /// The number of turns of loops before the end of the delivered audio. If it is larger than `turns`, the arriving audio was delivered before.
        var deliveredTurns = 0
    }
    private struct Last {
        /// The media position after the delivered audio, in frames. In reverse playback, the position of the first frame of the delivered audio. Nil
        /// if no audio was delivered after the last turn of a loop.
        var edge: Int64?
        /// The value of `edge` at the last turn of a loop; nil if there was none.
        var edgeAtTurn: Int64?
        var sampleRate: Int
        var isReverse: Bool

        /// Converts the positions to another sample rate, because another device may have another one. A position whose conversion overflows becomes
        /// nil, so that the whole next block is delivered.
        mutating func convert(to rate: Int) {
            guard rate != sampleRate else { return }
            let former = Int64(sampleRate)
            func converted(_ position: Int64?) -> Int64? {
                guard let (product, overflows) = position?.multipliedReportingOverflow(by: Int64(rate)), !overflows else { return nil }
                return product / former
            }
            (edge, edgeAtTurn, sampleRate) = (converted(edge), converted(edgeAtTurn), rate)
        }
    }
    private let state: Mutex<State>

    /// Makes a tap. Each time that a player begins to use an item, a new tap serves the item.
    package init(_ queues: [SampleQueue] = []) { state = Mutex(State(queues: queues)) }

    package func add(_ queue: SampleQueue) { state.withLock { $0.queues.append(queue) } }
    package func remove(_ queue: SampleQueue) {
        state.withLock { state in
            state.queues.removeAll { $0 === queue }
            if state.queues.isEmpty { state.last = nil }
        }
    }
    package func removeAll() { state.withLock { $0 = State(queues: []) } }

    /// Records that the next block does not continue the audio that was delivered last, so that the whole block will be delivered.
    func restart() { state.withLock { ($0.last, $0.turns, $0.deliveredTurns) = (nil, 0, 0) } }

    /// Records that a loop turns (jumps from its end to its start) before the next block. The audio after the turn is delivered, unless the tap has
    /// delivered it before, and the engine has ordered it again.
    func turn() {
        state.withLock { state in
            state.turns += 1
            guard state.turns > state.deliveredTurns else { return }
            state.deliveredTurns = state.turns
            if let edge = state.last?.edge { state.last?.edgeAtTurn = edge }
            state.last?.edge = nil
        }
    }

    /// Records that the next block repeats audio that has `turns` turns of loops before it, because the engine has ordered this audio again.
    func repeatAudio(fromTurn turns: Int) { state.withLock { $0.turns = turns } }

    /// Records that the next block continues the audio that has `turns` turns of loops before it, because another loop has replaced the later turns.
    func discardTurns(after turns: Int) {
        state.withLock { state in
            if turns < state.deliveredTurns, var last = state.last {
                last.edge = last.edgeAtTurn
                state.last = last
            }
            (state.turns, state.deliveredTurns) = (turns, turns)
        }
    }

    /// Delivers the frames of a block that have not been delivered before. The frames of a block that is played backwards are in reverse order.
    package func deliver(_ block: AudioBlock, format: AudioFormat, isReverse: Bool) {
        let (queues, fresh) = state.withLock { state -> ([SampleQueue], AudioBlock?) in
            guard !state.queues.isEmpty else { return ([], nil) }
            var last = Last(sampleRate: format.sampleRate, isReverse: isReverse)
            if let former = state.last, former.isReverse == isReverse {
                guard state.turns >= state.deliveredTurns else { return ([], nil) }
                last = former
                last.convert(to: format.sampleRate)
                if state.turns > state.deliveredTurns { last.edge = nil }
            }
            let fresh = isReverse ? Self.turned(block, before: last.edge) : Self.rest(of: block, from: last.edge)
            if let fresh {
                last.edge = isReverse ? fresh.position : fresh.end
                (state.last, state.deliveredTurns) = (last, state.turns)
            }
            return (state.queues, fresh)
        }
        guard let fresh else { return }
        for queue in queues { queue.push(TappedBlock(block: fresh, format: format, isReverse: isReverse)) }
    }

    private static func rest(of block: AudioBlock, from edge: Int64?) -> AudioBlock? {
        guard block.frameCount > 0 else { return nil }
        guard let edge, edge > block.position else { return block }
        return edge < block.end ? block.split(at: Int(edge - block.position)).1 : nil
    }

    /// Takes a block whose frames are in reverse order. Returns the frames of the block that precede the media position `edge`, in the order of the
    /// medium; nil if no frame of the block precedes `edge`.
    private static func turned(_ block: AudioBlock, before edge: Int64?) -> AudioBlock? {
        let count = Int(min(block.end, edge ?? .max) - block.position)
        guard count > 0 else { return nil }
        let (frames, channels) = (block.frameCount, block.channelCount)
        return AudioBlock(position: block.position, frameCount: count, channelCount: channels) { buffer in
            for frame in 0..<count {
                for channel in 0..<channels { buffer[frame * channels + channel] = block.samples[(frames - 1 - frame) * channels + channel] }
            }
        }
    }

    public static func == (a: SampleTap, b: SampleTap) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A block of an item's audio for a listener. The frames of a tapped block are in the order of the medium.
package struct TappedBlock: Sendable {
    package var block: AudioBlock
    package var format: AudioFormat
    /// Whether the block is played backwards; if so, the next block that is delivered lies before this block in the medium.
    package var isReverse: Bool
}
