import Platform

/// The output that the engine opens when it needs one. The engine's thread owns it.
final class WantedOutput {
    /// Nil if there is no output.
    private(set) var provider: (any OutputProvider)?
    /// The rate changes of the device that playback has followed.
    let rateChanges = RateChanges()
    let refusedRates = RefusedRates()

    init(_ provider: (any OutputProvider)?) { self.provider = provider }

    func replace(with provider: any OutputProvider) { self.provider = provider }

    /// Makes a closed sink, with the present volume, mute and role.
    func makeSink(_ provider: any OutputProvider, _ settings: EngineSettings) -> any AudioSink {
        let sink = provider.makeSink()
        sink.setVolume(settings.volume, isMuted: settings.isMuted)
        sink.setRole(settings.role)
        sink.setKeepsRate(settings.outputRates.rate(of: sink.description.id) == .device)
        return sink
    }
}

/// The rates that a device has not taken, kept because each request for a rate opens the device once more. The engine's thread owns the object.
final class RefusedRates {
    /// The device, and the rate that it kept.
    private var device: (id: String, rate: Int)?
    private var refused: Set<Int> = []

    /// Records a refused rate, and discards the records about another device, or this one at another rate.
    func note(_ asked: Int, by id: String, at rate: Int) {
        if device.map({ $0 == (id, rate) }) != true { (device, refused) = ((id, rate), []) }
        refused.insert(asked)
    }

    /// Whether the device has refused the rate, and still has the rate that it had then.
    func contains(_ asked: Int, by id: String, at rate: Int) -> Bool { device.map { $0 == (id, rate) } == true && refused.contains(asked) }
}

/// Limits how often playback follows a device to another rate: a device that changes its rate again and again would interrupt playback without end.
final class RateChanges {
    private static let maximum = 8
    /// The period in which at most `maximum` changes are followed, in seconds.
    private static let period = 16.0
    private var recent: [HostTime] = []

    /// Returns whether playback may follow a change of the rate now, and if so counts the change.
    func allow(at now: HostTime) -> Bool {
        recent.removeAll { now - $0 > Self.period }
        guard recent.count < Self.maximum else { return false }
        recent.append(now)
        return true
    }
}
