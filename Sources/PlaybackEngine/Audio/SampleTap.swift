import Synchronization

/// Hands an item's decoded sound to those who listen to it: each frame once, in the order in which it is played, before loudness, volume, rate and
/// crossfade. Sound that the engine takes up again (another rate, another device, other items to follow) is not handed over again; after a seek, or a
/// change of direction, everything is from the new place on.
///
/// Costs a look behind a lock for each block while nobody listens. The engine's thread delivers; any thread adds and removes listeners.
public final class SampleTap: Sendable, Hashable {
    private struct State {
        var queues: [SampleQueue]
        /// What was handed over last.
        var last: Last?
    }
    private struct Last {
        /// Forwards the position behind it, backwards its own.
        var edge: Int64
        var sampleRate: Int
        var isReverse: Bool
    }
    private let state: Mutex<State>

    /// Makes a tap for one association of an item with a player.
    package init(_ queues: [SampleQueue] = []) { state = Mutex(State(queues: queues)) }

    /// Somebody listens from now on.
    package func add(_ queue: SampleQueue) { state.withLock { $0.queues.append(queue) } }
    /// Somebody listens no longer.
    package func remove(_ queue: SampleQueue) {
        state.withLock { state in
            state.queues.removeAll { $0 === queue }
            if state.queues.isEmpty { state.last = nil }
        }
    }
    /// Nobody listens through this tap any more.
    package func removeAll() { state.withLock { $0 = State(queues: []) } }

    /// The next sound is from another place.
    func restart() { state.withLock { $0.last = nil } }

    /// Hands over what is new in a block. The samples of one that is played backwards are back to front.
    package func deliver(_ block: AudioBlock, format: AudioFormat, isReverse: Bool) {
        let (queues, fresh) = state.withLock { state -> ([SampleQueue], AudioBlock?) in
            guard !state.queues.isEmpty else { return ([], nil) }
            var edge: Int64?
            if let last = state.last, last.isReverse == isReverse {
                edge = last.edge
                if format.sampleRate != last.sampleRate {
                    // Another device may have another rate: the place is the same. A place beyond all reason begins anew.
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

    /// The frames before `edge`, in the order of the medium.
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

    /// Taps are equal when they are the same object.
    public static func == (a: SampleTap, b: SampleTap) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A stretch of an item's sound on its way to somebody who listens; its samples are in the order of the medium.
package struct TappedBlock: Sendable {
    package var block: AudioBlock
    package var format: AudioFormat
    /// It is played backwards: what follows lies before it.
    package var isReverse: Bool
}
