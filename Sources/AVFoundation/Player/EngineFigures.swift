import PlaybackEngine

/// What an engine has counted since its start.
package struct EngineFigures: Sendable, Hashable {
    /// How often the device had nothing to play although sound was due.
    package var underruns = 0
    /// Corrupt packets that were replaced by silence.
    package private(set) var skippedPackets = 0
    /// How many each item had when it was told of last: its count comes as a whole each time.
    private var latest: [ItemID: Int] = [:]

    /// Items that are counted at once: the current one and those that are joined to it.
    private static let capacity = 16

    mutating func noteSkipped(_ count: Int, of item: ItemID) {
        skippedPackets += max(0, count - (latest[item] ?? 0))
        if latest[item] == nil, latest.count >= Self.capacity, let oldest = latest.keys.min(by: { $0.rawValue < $1.rawValue }) {
            latest[oldest] = nil
        }
        latest[item] = count
    }
}
