import PlaybackEngine

extension AVPlayerItem {
    /// The outputs that receive the item's audio, in the order in which they were added (R-ITEM-10).
    public var outputs: [AVPlayerItemOutput] { attached.outputs }

    /// Adds an output. An output that is added before a player gets the item receives all audio of the item; a later output receives the audio that
    /// is decoded from then on (R-ITEM-10). Adding an output that already belongs to an item is a programmer error.
    public func add(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        demand(output.item == nil, "R-ITEM-10: an AVPlayerItemOutput cannot be added to more than one item, or twice to one")
        output.attach(to: self)
        attached.add(output, isAssociated: owner != nil)
    }

    /// Removes an output, which then receives no more audio (R-ITEM-10). Does nothing if the output does not belong to this item.
    public func remove(_ output: AVPlayerItemOutput) {
        demandMainQueue()
        guard output.item === self else { return }
        output.attach(to: nil)
        attached.remove(output)
    }

    /// Replaces the tap, through which the outputs receive decoded blocks. Blocks decoded from now on are unrelated to earlier blocks.
    func renewTap() { attached.renewTap(isAssociated: owner != nil) }
}
