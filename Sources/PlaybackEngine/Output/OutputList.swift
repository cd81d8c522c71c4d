import Platform

/// The list of outputs in order of preference, and the index of the open output. The engine's thread owns the list.
final class OutputList {
    private var providers: [any OutputProvider]
    /// The index of the output that was opened last, in the list of outputs at the time of the opening.
    private(set) var openIndex = 0
    /// The limit of changes of the device's sample rate that playback follows.
    let rateChanges = RateChanges()
    /// The sample rates that the present device has not taken.
    let refusedRates = RefusedRates()

    init(_ providers: [any OutputProvider]) { self.providers = providers }

    /// The number of outputs in the list.
    var count: Int { providers.count }

    /// Replaces the list of outputs.
    func replace(with providers: [any OutputProvider]) { self.providers = providers }

    /// Records the index of the output that was opened.
    func noteOpened(_ index: Int) { openIndex = index }

    /// Makes a closed sink for the output at an index of the list, with the present volume, mute and role.
    func makeSink(_ index: Int, _ settings: EngineSettings) -> any AudioSink {
        let sink = providers[index].makeSink()
        sink.setVolume(settings.volume, isMuted: settings.isMuted)
        sink.setRole(settings.role)
        sink.setKeepsRate(settings.outputRates.rate(of: sink.description.id) == .device)
        return sink
    }
}

/// The sample rates that a device has not taken, so that it is not asked for them again and again: each question opens the device once more. The
/// engine's thread owns the `RefusedRates`.
final class RefusedRates {
    /// The device, and the rate that it kept.
    private var device: (id: String, rate: Int)?
    private var refused: Set<Int> = []

    /// Records that the device kept its rate `rate` when it was asked for the rate `asked`. Discards the records about another device, or about this
    /// device at another rate.
    func note(_ asked: Int, by id: String, at rate: Int) {
        if device.map({ $0 == (id, rate) }) != true { (device, refused) = ((id, rate), []) }
        refused.insert(asked)
    }

    /// Whether a device has refused the rate `asked`, and still has the rate that it had then.
    func contains(_ asked: Int, by id: String, at rate: Int) -> Bool { device.map { $0 == (id, rate) } == true && refused.contains(asked) }
}

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
