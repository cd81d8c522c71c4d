/// The decoded audio of a loop. It is kept from the first complete turn on if it is short, so that further turns need no seek, no decoding and no
/// request to a server. Owned by the feeder.
struct LoopAudio {
    /// The maximum size of the kept samples, in bytes.
    static let maximumSize = 8 << 20

    private enum Phase {
        case idle
        /// The blocks from the loop's start on are kept as they are read.
        case keeping
        /// All blocks of the loop are kept. The next block to play is `next`.
        case complete(next: Int)
    }
    private var phase = Phase.idle
    private var blocks: [AudioBlock] = []
    private var size = 0

    /// Whether the next turn needs no reader.
    var isComplete: Bool { if case .complete = phase { true } else { false } }

    /// Begins a turn at the loop's start. If not all audio of the loop is kept, the blocks of this turn are.
    mutating func beginTurn() {
        if isComplete {
            phase = .complete(next: 0)
        } else {
            (phase, blocks, size) = (.keeping, [], 0)
        }
    }

    /// Returns the next kept block of the turn; nil if the reader has to be asked.
    mutating func next() -> AudioBlock? {
        guard case .complete(let index) = phase, index < blocks.count else { return nil }
        phase = .complete(next: index + 1)
        return blocks[index]
    }

    /// Keeps a block that was read, up to the maximum size.
    ///
    /// - Parameter isLast: Whether the loop ends with the block.
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

    /// Ends the present turn, because reading continues at another position. Audio that is complete stays.
    mutating func leaveTurn() {
        if isComplete { phase = .complete(next: blocks.count) } else { (phase, blocks, size) = (.idle, [], 0) }
    }
}
