import PlaybackEngine

/// The outputs of an item, and the item's tap: the object to which the engine sends decoded audio while the item belongs to a player.
@MainActor final class AttachedOutputs {
    /// The outputs of the item, in the order in which they were added (R-ITEM-10).
    private(set) var outputs: [AVPlayerItemOutput] = []
    private(set) var tap = SampleTap()
    /// The log of the timed metadata (such as the titles of a radio station) that have arrived since the item's medium was last opened.
    private(set) var timedMetadata = TimedMetadataLog()

    /// Adds an output to the item. The parameter `isAssociated` states whether the item belongs to a player, so that decoded audio may arrive.
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

    /// Replaces the item's tap, through which the outputs receive decoded audio. The first audio of the new tap counts as discontinuous.
    func renewTap(isAssociated: Bool) {
        tap.removeAll()
        tap = SampleTap(isAssociated ? outputs.compactMap(\.queue) : [])
    }

    /// Replaces the log of timed metadata before the medium is opened again, because the medium's times then begin again.
    func renewTimedMetadata() { timedMetadata = TimedMetadataLog() }

    /// Delivers timed metadata whose audio is heard now to the outputs.
    func push(_ group: AVTimedMetadataGroup) { for output in outputs { output.push(group) } }

    /// Disconnects the outputs from the tap, so that the outputs receive no more audio.
    func clearTap() { tap.removeAll() }

    /// Ends the sequence of audio buffers for each reader of an output.
    deinit { for output in outputs { output.queue?.finish() } }
}
