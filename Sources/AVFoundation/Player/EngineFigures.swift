import PlaybackEngine

/// The numbers of underruns, of skipped packets and of frames over full scale that a player's engine has reported.
package struct EngineFigures: Sendable, Hashable {
    /// The number of underruns: the device needed frames that had not been rendered.
    package private(set) var underruns = 0
    /// The number of corrupt packets that were replaced by silence, in all items together.
    package private(set) var skippedPackets = 0
    /// The number of rendered frames with a sample over full scale.
    package private(set) var clippedFrames = 0
    /// The number of skipped packets of each item in the engine's last report. The engine reports the total number of an item since the item was
    /// opened.
    private var latest: [ItemID: Int] = [:]

    /// The maximum number of items whose last report is kept: the current item and the items that follow it without a gap.
    private static let capacity = 16

    mutating func noteUnderrun() { underruns += 1 }
    mutating func noteClipped(_ frames: Int) { clippedFrames += frames }

    mutating func noteSkipped(_ count: Int, of item: ItemID) {
        skippedPackets += max(0, count - (latest[item] ?? 0))
        if latest[item] == nil, latest.count >= Self.capacity, let oldest = latest.keys.min(by: { $0.rawValue < $1.rawValue }) {
            latest[oldest] = nil
        }
        latest[item] = count
    }
}
