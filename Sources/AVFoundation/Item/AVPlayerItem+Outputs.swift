import PlaybackEngine

extension AVPlayerItem {
    /// Adds an output. One that is added before a player has the item misses nothing; one that is added later gets what is decoded from then on
    /// (R-ITEM-10). An output belongs to one item: adding one that an item has is a programmer error.
    public func add(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
        outputs.append(output)
        output.item = self
        guard let queue = output.queue else { return }
        queue.reopen()
        if owner != nil { tap.add(queue) }
    }

    /// Removes an output: nothing is handed to it any more (R-ITEM-10). Does nothing where the item does not have it.
    public func remove(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        guard output.item === self else { return }
        outputs.removeAll { $0 === output }
        output.item = nil
        guard let queue = output.queue else { return }
        tap.remove(queue)
        queue.finish()
    }

    /// What is decoded from now on has nothing to do with what was.
    func renewTap() {
        tap.removeAll()
        tap = SampleTap(owner == nil ? [] : outputs.compactMap(\.queue))
    }
}
