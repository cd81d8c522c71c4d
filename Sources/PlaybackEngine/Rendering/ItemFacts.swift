import Platform

/// The known facts of the engine's items. The engine's thread owns the `ItemFacts`.
final class ItemFacts {
    private struct Facts {
        /// The format; nil if the item was not opened or has failed.
        var format: AudioFormat?
        var hasFailed = false
        /// The length, in frames of the output.
        var length: Int64?
        var loudness: LoudnessTags?
        var tap: SampleTap?
        /// The transfer of a remote medium.
        var transfer: (monitor: ConnectionMonitor, meter: TransferMeter?)?
        var info: MediaInfo?
    }
    private var facts: [ItemID: Facts] = [:]
    /// The items whose audio was rendered up to an error of their medium, since the last call of `takeBroken`.
    private var broken: [(item: ItemID, error: PlaybackError)] = []

    // MARK: Changes

    func add(_ request: LoadRequest) {
        facts[request.item, default: Facts()].tap = request.tap
        facts[request.item]?.transfer = request.source.monitor.map { ($0, request.source.meter) }
    }

    /// - Parameter sampleRate: The output's rate, in which the length is counted.
    func noteOpened(_ item: ItemID, _ info: MediaInfo, sampleRate: Int) {
        facts[item, default: Facts()].format = info.format
        facts[item]?.hasFailed = false
        if facts[item]?.transfer != nil { facts[item]?.info = info }
        if let seconds = info.duration.seconds, seconds < 1e9 { facts[item]?.length = Int64(seconds * Double(sampleRate)) }
        // The tags of removed items are kept until the next item is opened, because audio of these items may be on the tape until then.
        for (other, known) in facts where known.format == nil { facts[other]?.loudness = nil }
        facts[item]?.loudness = LoudnessTags(info)
    }

    /// Adapts to another rate of the output: lengths are multiplied by `ratio`.
    func changeRate(by ratio: Double) {
        for (item, known) in facts { facts[item]?.length = known.length.map { Int64(saturating: (Double($0) * ratio).rounded()) } }
    }

    func noteFailed(_ item: ItemID) {
        facts[item]?.format = nil
        facts[item]?.hasFailed = true
    }

    /// Records that all audio before the error of an item's medium was rendered.
    func noteBroken(_ item: ItemID, _ error: PlaybackError) { broken.append((item, error)) }
    /// The items recorded by `noteBroken` since the last call.
    func takeBroken() -> [(item: ItemID, error: PlaybackError)] {
        defer { broken = [] }
        return broken
    }

    /// Discards the facts of other items, but not their loudness tags.
    func keep(only items: Set<ItemID>) {
        for (item, known) in facts where !items.contains(item) {
            facts[item] = known.loudness.map { Facts(loudness: $0) }
        }
    }

    func removeAll() { (facts, broken) = ([:], []) }

    // MARK: Questions

    func isOpen(_ item: ItemID) -> Bool { facts[item]?.format != nil }
    /// Whether the item has failed. It is not opened again, unless it is removed and listed again.
    func hasFailed(_ item: ItemID) -> Bool { facts[item]?.hasFailed ?? false }
    func format(of item: ItemID) -> AudioFormat? { facts[item]?.format }
    /// The length of an item, in frames of the output.
    func length(of item: ItemID) -> Int64? { facts[item]?.length }
    func tap(of item: ItemID) -> SampleTap? { facts[item]?.tap }
    /// The reserve of a remote medium: `ahead` seconds of media are transferred ahead of the reader (0 if the bit rate is unknown), `missing` seconds
    /// are not transferred yet. `isFull`: the transfer has paused or is complete.
    func reserve(of item: ItemID) -> (ahead: Double, missing: Double?, bytesPerSecond: Double?, isFull: Bool)? {
        guard let known = facts[item], let reserve = known.transfer?.monitor.reserve else { return nil }
        guard let size = known.info?.bytesPerSecond(length: reserve.length), size > 0 else {
            return (0, reserve.isComplete ? 0 : nil, nil, reserve.isFull || reserve.isComplete)
        }
        return (Double(reserve.ahead) / size, reserve.missing.map { Double($0) / size }, size, reserve.isFull || reserve.isComplete)
    }
    /// Whether the item is a live stream whose connection is lost.
    func isLostStation(_ item: ItemID) -> Bool {
        guard let known = facts[item], known.info?.isLive == true else { return false }
        return known.transfer?.monitor.wait != nil
    }
    func transferred(of item: ItemID) -> TransferMeter.Reading? { facts[item]?.transfer?.meter?.reading }
    /// The factor of an item's samples, by its loudness tags and the settings; exactly 1 does not change the samples.
    func gain(of item: ItemID, _ settings: EngineSettings) -> Float {
        let tags = facts[item]?.loudness ?? LoudnessTags()
        return tags.factor(settings.loudness) * tags.reduction(settings.headroom, after: settings.loudness)
    }
}
