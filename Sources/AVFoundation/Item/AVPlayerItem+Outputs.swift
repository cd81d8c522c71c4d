import PlaybackEngine

extension AVPlayerItem {
    /// Adds an output. An output that is added before a player gets the item receives everything; a later one receives what is decoded from then on
    /// (R-ITEM-10). Adding an output that already belongs to an item is a programmer error.
    public func add(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
        outputs.append(output)
        output.item = self
        guard let queue = output.queue else { return }
        queue.reopen()
        if owner != nil { tap.add(queue) }
    }

    /// Removes an output, which then receives nothing more (R-ITEM-10). Does nothing if the output is not one of this item.
    public func remove(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        guard output.item === self else { return }
        outputs.removeAll { $0 === output }
        output.item = nil
        guard let queue = output.queue else { return }
        tap.remove(queue)
        queue.finish()
    }

    /// Replaces the tap: blocks decoded from now on are unrelated to earlier ones.
    func renewTap() {
        tap.removeAll()
        tap = SampleTap(owner == nil ? [] : outputs.compactMap(\.queue))
    }
}
