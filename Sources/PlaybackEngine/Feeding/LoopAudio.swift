/// The decoded audio of a short loop, so that further passes need no seek, no decoding and no request. The feeder owns it.
struct LoopAudio {
    /// The greatest size of the kept audio, in bytes.
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

    /// Whether all audio of the loop is kept, so that further passes do not need the reader.
    var isComplete: Bool { if case .complete = phase { true } else { false } }

    mutating func beginTurn() {
        if isComplete {
            phase = .complete(next: 0)
        } else {
            (phase, blocks, size) = (.keeping, [], 0)
        }
    }

    /// Returns the next kept block of the present pass through the loop; nil if it has to be read from the medium.
    mutating func next() -> AudioBlock? {
        guard case .complete(let index) = phase, index < blocks.count else { return nil }
        phase = .complete(next: index + 1)
        return blocks[index]
    }

    /// Keeps a block, unless the kept audio would exceed `maximumSize`. `isLast` means that the loop ends with the block.
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
