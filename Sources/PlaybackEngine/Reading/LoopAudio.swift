/// The decoded audio of a loop, which is kept if the loop is short: after one complete pass, further passes through the loop need no seek, no
/// decoding and no request to a server. The feeder owns the `LoopAudio`.
struct LoopAudio {
    /// The maximum size of the kept samples, in bytes.
    static let maximumSize = 8 << 20

    private enum Phase {
        case idle
        /// The blocks from the loop's start on are kept as they are read.
        case keeping
        /// All blocks of the loop are kept. `next` is the index of the block that is played next.
        case complete(next: Int)
    }
    private var phase = Phase.idle
    private var blocks: [AudioBlock] = []
    private var size = 0

    /// Whether all audio of the loop is kept, so that further passes through the loop do not need the reader.
    var isComplete: Bool { if case .complete = phase { true } else { false } }

    /// Begins a pass at the loop's start. If the audio of the loop is not completely kept, the blocks of this pass are kept.
    mutating func beginTurn() {
        if isComplete {
            phase = .complete(next: 0)
        } else {
            (phase, blocks, size) = (.keeping, [], 0)
        }
    }

    /// Returns the next kept block of the present pass; nil if the block has to be read from the medium.
    mutating func next() -> AudioBlock? {
        guard case .complete(let index) = phase, index < blocks.count else { return nil }
        phase = .complete(next: index + 1)
        return blocks[index]
    }

    /// Keeps a block that was read, up to the maximum size.
    ///
    /// - Parameter isLast: whether the loop ends with the block.
    mutating func keep(_ block: AudioBlock, isLast: Bool) {
        guard case .keeping = phase else { return }
        size += block.frameCount * block.channelCount * MemoryLayout<Float>.size
        guard size <= Self.maximumSize else {
            (phase, blocks) = (.idle, [])
            return
        }
        blocks.append(block)
        if isLast { phase = .complete(next: blocks.count) }
    }

    /// Ends the present pass through the loop, because reading continues at another position. The kept audio remains if it is complete.
    mutating func leaveTurn() {
        if isComplete { phase = .complete(next: blocks.count) } else { (phase, blocks, size) = (.idle, [], 0) }
    }
}
