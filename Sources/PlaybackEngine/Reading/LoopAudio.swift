/// The decoded audio of a short loop, so that further passes need no seek, no decoding and no request. The feeder owns it.
struct LoopAudio {
    /// In bytes.
    static let maximumSize = 8 << 20

    private enum Phase {
        case idle
        /// Blocks from the loop's start on are kept as they are read.
        case keeping
        case complete(next: Int)
    }
    private var phase = Phase.idle
    private var blocks: [AudioBlock] = []
    private var size = 0

    /// Further passes do not need the reader.
    var isComplete: Bool { if case .complete = phase { true } else { false } }

    mutating func beginTurn() {
        if isComplete {
            phase = .complete(next: 0)
        } else {
            (phase, blocks, size) = (.keeping, [], 0)
        }
    }

    /// Nil if the block has to be read from the medium.
    mutating func next() -> AudioBlock? {
        guard case .complete(let index) = phase, index < blocks.count else { return nil }
        phase = .complete(next: index + 1)
        return blocks[index]
    }

    /// Up to the maximum size. `isLast`: the loop ends with the block.
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

    /// Reading continues at another position. Complete audio remains.
    mutating func leaveTurn() {
        if isComplete { phase = .complete(next: blocks.count) } else { (phase, blocks, size) = (.idle, [], 0) }
    }
}
