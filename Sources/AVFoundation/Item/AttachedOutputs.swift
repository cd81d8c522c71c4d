import PlaybackEngine

/// The outputs of an item, and the tap: the object to which the engine sends decoded blocks while the item belongs to a player.
@MainActor final class AttachedOutputs {
    /// The outputs, in the order in which they were added (R-ITEM-10).
    private(set) var outputs: [AVPlayerItemOutput] = []
    private(set) var tap = SampleTap()

    /// Adds an output. `isAssociated`: whether the item belongs to a player, so that decoded blocks may follow.
    func add(_ output: AVPlayerItemOutput, isAssociated: Bool) {
        outputs.append(output)
        guard let queue = output.queue else { return }
        queue.reopen()
        if isAssociated { tap.add(queue) }
    }

    func remove(_ output: AVPlayerItemOutput) {
        outputs.removeAll { $0 === output }
        guard let queue = output.queue else { return }
        tap.remove(queue)
        queue.finish()
    }

    /// Replaces the tap, through which the outputs receive decoded blocks. Blocks decoded from now on are unrelated to earlier blocks.
    func renewTap(isAssociated: Bool) {
        tap.removeAll()
        tap = SampleTap(isAssociated ? outputs.compactMap(\.queue) : [])
    }

    /// Disconnects the outputs from the tap, so that they receive no more blocks.
    func clearTap() { tap.removeAll() }

    /// Ends the buffer sequences of all readers.
    deinit { for output in outputs { output.queue?.finish() } }
}
