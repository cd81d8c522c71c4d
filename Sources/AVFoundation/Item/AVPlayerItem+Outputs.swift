import PlaybackEngine

extension AVPlayerItem {
    /// The outputs that receive the item's audio, in the order in which they were added (R-ITEM-10).
    public var outputs: [AVPlayerItemOutput] { attached.outputs }

    /// Adds an output to the item. If the output is added before a player gets the item, the output receives all audio of the item. If the output is
    /// added later, it receives only audio that is decoded after the addition (R-ITEM-10). Adding an output that already belongs to an item is a
    /// programmer error.
    public func add(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
        output.attach(to: self)
        attached.add(output, isAssociated: owner != nil)
    }

    /// Removes an output from the item, so that the output receives no more audio (R-ITEM-10). Does nothing if the output does not belong to the
    /// item.
    public func remove(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        guard output.item === self else { return }
        output.attach(to: nil)
        attached.remove(output)
    }

    /// Replaces the item's tap, through which the outputs receive decoded audio. The first audio of the new tap counts as discontinuous.
    func renewTap() { attached.renewTap(isAssociated: owner != nil) }
}
