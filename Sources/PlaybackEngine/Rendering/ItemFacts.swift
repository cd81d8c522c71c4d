import Platform

/// The known properties of the engine's items: format, length, loudness tags and tap. The engine's thread owns the `ItemFacts`.
final class ItemFacts {
    private struct Facts {
        /// The format of the item; nil if the item was not opened or has failed.
        var format: AudioFormat?
        /// Whether the item could not be opened.
        var hasFailed = false
        /// The length of the item, in frames of the output; nil if the length is not known.
        var length: Int64?
        var loudness: LoudnessTags?
        var tap: SampleTap?
        /// The monitor and the meter of the connection to a remote medium; nil for a file.
        var transfer: (monitor: ConnectionMonitor, meter: TransferMeter?)?
        var info: MediaInfo?
    }
    private var facts: [ItemID: Facts] = [:]
    /// The items whose audio was rendered to an error, since the last call of `takeBroken`, in order.
    private var broken: [(item: ItemID, error: PlaybackError)] = []

    // MARK: Changes

    /// Records an item that the engine is asked to play.
    func add(_ request: LoadRequest) {
        facts[request.item, default: Facts()].tap = request.tap
        facts[request.item]?.transfer = request.source.monitor.map { ($0, request.source.meter) }
    }

    /// Records an item that was opened.
    ///
    /// - Parameter sampleRate: the sample rate of the output, in which the length is counted.
    func noteOpened(_ item: ItemID, _ info: MediaInfo, sampleRate: Int) {
        facts[item, default: Facts()].format = info.format
        facts[item]?.hasFailed = false
        if facts[item]?.transfer != nil { facts[item]?.info = info }
        if let seconds = info.duration.seconds, seconds < 1e9 { facts[item]?.length = Int64(seconds * Double(sampleRate)) }
        // The loudness tags of a removed item are kept until the next item is opened, because the removed item's audio may be in the track until
        // then.
        for (other, known) in facts where known.format == nil { facts[other]?.loudness = nil }
        facts[item]?.loudness = LoudnessTags(info)
    }

    /// Converts the lengths to another sample rate of the output: they are multiplied by `ratio`.
    func changeRate(by ratio: Double) {
        for (item, known) in facts { facts[item]?.length = known.length.map { Int64(saturating: (Double($0) * ratio).rounded()) } }
    }

    /// Records that an item could not be opened.
    func noteFailed(_ item: ItemID) {
        facts[item]?.format = nil
        facts[item]?.hasFailed = true
    }

    /// Records that all audio of an item before an error of its medium has been rendered.
    func noteBroken(_ item: ItemID, _ error: PlaybackError) { broken.append((item, error)) }
    /// Returns the items whose audio was rendered to an error, since the last call of `takeBroken`, in order.
    func takeBroken() -> [(item: ItemID, error: PlaybackError)] {
        defer { broken = [] }
        return broken
    }

    /// Discards the facts of all items that are not in `items`, except for the loudness tags.
    func keep(only items: Set<ItemID>) {
        for (item, known) in facts where !items.contains(item) {
            facts[item] = known.loudness.map { Facts(loudness: $0) }
        }
    }

    /// Discards the facts of all items.
    func removeAll() { (facts, broken) = ([:], []) }

    // MARK: Questions

    /// Whether an item was opened and has not failed.
    func isOpen(_ item: ItemID) -> Bool { facts[item]?.format != nil }
    /// Whether an item could not be opened. It will not be opened again, unless it is removed and listed again.
    func hasFailed(_ item: ItemID) -> Bool { facts[item]?.hasFailed ?? false }
    /// Returns the format of an open item, nil if the item is not open.
    func format(of item: ItemID) -> AudioFormat? { facts[item]?.format }
    /// Returns the length of an item, in frames of the output; nil if the length is not known.
    func length(of item: ItemID) -> Int64? { facts[item]?.length }
    /// Returns the tap that receives an item's decoded audio; nil if the item has no tap.
    func tap(of item: ItemID) -> SampleTap? { facts[item]?.tap }
    /// Returns the reserve of an item: the compressed audio that was transferred from its server ahead of the reader. `ahead`: the reserve in seconds
    /// of media, 0 if the bit rate is unknown. `missing`: the seconds of media that have not been transferred, nil if unknown. `bytesPerSecond`: the
    /// size of a second of media, nil if unknown. `isFull`: whether the transfer has paused or is complete. Returns nil if the item has no reserve.
    func reserve(of item: ItemID) -> (ahead: Double, missing: Double?, bytesPerSecond: Double?, isFull: Bool)? {
        guard let known = facts[item], let reserve = known.transfer?.monitor.reserve else { return nil }
        guard let size = known.info?.bytesPerSecond(length: reserve.length), size > 0 else {
            return (0, reserve.isComplete ? 0 : nil, nil, reserve.isFull || reserve.isComplete)
        }
        return (Double(reserve.ahead) / size, reserve.missing.map { Double($0) / size }, size, reserve.isFull || reserve.isComplete)
    }
    /// Whether an item is a live stream whose connection is lost.
    func isLostStation(_ item: ItemID) -> Bool {
        guard let known = facts[item], known.info?.isLive == true else { return false }
        return known.transfer?.monitor.wait != nil
    }
    /// Returns the counts of the transfers of an item, such as bytes and seconds; nil if they are not counted.
    func transferred(of item: ItemID) -> TransferMeter.Reading? { facts[item]?.transfer?.meter?.reading }
    /// Returns the factor by which every sample of an item is multiplied, by its loudness tags and the settings. A factor of exactly 1 does not
    /// change the samples.
    func gain(of item: ItemID, _ settings: EngineSettings) -> Float {
        let tags = facts[item]?.loudness ?? LoudnessTags()
        return tags.factor(settings.loudness) * tags.reduction(settings.headroom, after: settings.loudness)
    }
}
