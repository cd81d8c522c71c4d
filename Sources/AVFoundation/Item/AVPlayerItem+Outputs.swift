import PlaybackEngine

extension AVPlayerItem {
    /// In the order in which they were added (R-ITEM-10).
    public var outputs: [AVPlayerItemOutput] { attached.outputs }

    /// Before a player gets the item, for all its audio; later, for what is decoded afterwards (R-ITEM-10). An output that belongs to an item is a
    /// programmer error.
    public func add(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
        output.attach(to: self)
        attached.add(output, isAssociated: owner != nil)
    }

    /// Nothing if it does not belong to the item (R-ITEM-10).
    public func remove(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        guard output.item === self else { return }
        output.attach(to: nil)
        attached.remove(output)
    }

    /// The first audio of the new tap is discontinuous.
    func renewTap() { attached.renewTap(isAssociated: owner != nil) }
}
