import Platform

/// The limit of how often playback follows a device to another sample rate. A device that changes its rate again and again (by mistake, or because
/// each new stream changes it) would otherwise interrupt playback without end. The engine's thread owns the limit.
final class RateChanges {
    private static let maximum = 8
    /// The period in which at most `maximum` changes are followed, in seconds.
    private static let period = 16.0
    private var recent: [HostTime] = []

    /// Returns whether playback may follow a change at host time `now`: at most `maximum` within a period. An allowed change is counted.
    func allow(at now: HostTime) -> Bool {
        recent.removeAll { now - $0 > Self.period }
        guard recent.count < Self.maximum else { return false }
        recent.append(now)
        return true
    }
}
