import PlaybackEngine

/// The outputs of an item, and the tap that the engine hands its blocks to while the item belongs to a player.
@MainActor final class AttachedOutputs {
    /// In the order in which they were added (R-ITEM-10).
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

    /// Replaces the tap: blocks decoded from now on are unrelated to earlier ones.
    func renewTap(isAssociated: Bool) {
        tap.removeAll()
        tap = SampleTap(isAssociated ? outputs.compactMap(\.queue) : [])
    }

    /// Hands no more blocks to the outputs.
    func clearTap() { tap.removeAll() }

    /// Ends the sequences of all readers.
    deinit { for output in outputs { output.queue?.finish() } }
}
