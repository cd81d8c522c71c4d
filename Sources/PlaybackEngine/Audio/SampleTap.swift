import Synchronization

/// A tap delivers an item's decoded audio to listeners: each frame once, in the order of playback, before loudness, volume, rate and crossfade are
/// applied. If the engine renders audio again (because of another rate, another device or other following items), the tap does not deliver the audio
/// again. After a seek or a change of direction, the tap delivers all audio from the new position on.
///
/// Without listeners, the delivery of a block costs one lock. The engine's thread delivers blocks; any thread adds and removes listeners.
public final class SampleTap: Sendable, Hashable {
    private struct State {
        var queues: [SampleQueue]
        /// The end position and the format of the audio that was delivered last; nil if the next audio does not continue the delivered audio.
        var last: Last?
    }
    private struct Last {
        /// The media position after the delivered audio, in frames. In reverse playback, the position of the first frame of the delivered audio.
        var edge: Int64
        var sampleRate: Int
        var isReverse: Bool
    }
    private let state: Mutex<State>

    /// Makes a tap. Each time that a player begins to use an item, a new tap serves the item.
    package init(_ queues: [SampleQueue] = []) { state = Mutex(State(queues: queues)) }

    /// Adds the queue of a listener to the tap.
    package func add(_ queue: SampleQueue) { state.withLock { $0.queues.append(queue) } }
    /// Removes the queue of a listener from the tap.
    package func remove(_ queue: SampleQueue) {
        state.withLock { state in
            state.queues.removeAll { $0 === queue }
            if state.queues.isEmpty { state.last = nil }
        }
    }
    /// Removes the queues of all listeners.
    package func removeAll() { state.withLock { $0 = State(queues: []) } }

    /// Records that the next block does not continue the audio that was delivered last, so that the whole block will be delivered.
    func restart() { state.withLock { $0.last = nil } }

    /// Delivers the frames of a block that have not been delivered to listeners before. The frames of a block that is played backwards are in reverse
    /// order.
    package func deliver(_ block: AudioBlock, format: AudioFormat, isReverse: Bool) {
        let (queues, fresh) = state.withLock { state -> ([SampleQueue], AudioBlock?) in
            guard !state.queues.isEmpty else { return ([], nil) }
            var edge: Int64?
            if let last = state.last, last.isReverse == isReverse {
                edge = last.edge
                if format.sampleRate != last.sampleRate {
                    // Another device may have another sample rate, so the end position of the delivered audio is converted to the new sample rate. If
                    // the conversion overflows, the whole block is delivered to the listeners.
                    let (product, overflows) = last.edge.multipliedReportingOverflow(by: Int64(format.sampleRate))
                    edge = overflows ? nil : product / Int64(last.sampleRate)
                }
            }
            let fresh = isReverse ? Self.turned(block, before: edge) : Self.rest(of: block, from: edge)
            if let fresh { state.last = Last(edge: isReverse ? fresh.position : fresh.end, sampleRate: format.sampleRate, isReverse: isReverse) }
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

    /// Whether two taps are the same object.
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
