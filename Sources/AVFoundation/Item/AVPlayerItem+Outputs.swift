import PlaybackEngine

extension AVPlayerItem {
    /// The outputs in the order in which they were added (R-ITEM-10).
    public nonisolated var outputs: [AVPlayerItemOutput] { Turn.perform { attached.outputs } }

    /// Adds an output. If no player has the item yet, the output gets all audio of the item, otherwise what is decoded afterwards (R-ITEM-10). Adding
    /// an output that already belongs to an item is a programmer error.
    public nonisolated func add(_ output: AVPlayerItemOutput) {
        Turn.perform {
            demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
            output.attach(to: self)
            attached.add(output, isAssociated: owner != nil)
        }
    }

    /// Removes an output. Has no effect if it does not belong to the item (R-ITEM-10).
    public nonisolated func remove(_ output: AVPlayerItemOutput) {
        Turn.perform {
            guard output.item === self else { return }
            output.attach(to: nil)
            attached.remove(output)
        }
    }

    /// Makes a new tap, which marks its first audio as discontinuous.
    @Turn func renewTap() { attached.renewTap(isAssociated: owner != nil) }
}

/// An item's outputs, and the tap that gives them decoded audio while the item belongs to a player.
@Turn final class AttachedOutputs {
    /// The outputs in the order in which they were added (R-ITEM-10).
    private(set) var outputs: [AVPlayerItemOutput] = []
    private(set) var tap = SampleTap()
    /// The timed metadata since the medium was last opened.
    private(set) var timedMetadata = TimedMetadataLog()

    nonisolated init() {}

    /// `isAssociated`: the item belongs to a player, so audio may arrive.
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

    /// Makes a new tap, which marks its first audio as discontinuous.
    func renewTap(isAssociated: Bool) {
        tap.removeAll()
        tap = SampleTap(isAssociated ? outputs.compactMap(\.queue) : [])
    }

    /// Discards the timed metadata. Called before the medium is opened again, because its times then begin again.
    func renewTimedMetadata() { timedMetadata = TimedMetadataLog() }

    func push(_ group: AVTimedMetadataGroup) { for output in outputs { output.push(group) } }

    func clearTap() { tap.removeAll() }

    /// Readers of the outputs get the end of their sequence.
    deinit { for output in outputs { output.queue?.finish() } }
}
