import PlaybackEngine
import Synchronization

/// Slows down who guesses: after a few wrong tokens an address has to wait before it may try again. The right one always passes: a foreign
/// page can make a browser fail, and is not to lock its owner out. Any thread.
///
/// A client is its network (`HTTPPeer.network`). Of each one moment is kept: until when its failures count. Each failure adds `interval`; who is more than
/// `burst` intervals ahead of now waits. So memory is one entry for a network that failed lately, and those are bounded too.
final class FailureLimiter: Sendable {
    /// Failures that an address may have at once.
    static let burst = 10
    /// Seconds after which one of them is forgiven.
    static let interval = 6.0
    /// Addresses that are remembered; beyond that the one that owes least is forgotten.
    static let capacity = 1024

    private let debts = Mutex<[String: HostTime]>([:])
    private let count = Atomic<Int>(0)

    /// Whether nobody has failed lately: then there is nothing to look up.
    var isQuiet: Bool { count.load(ordering: .relaxed) == 0 }
    /// How many addresses are remembered.
    var addressCount: Int { debts.withLock { $0.count } }

    /// Seconds that a client has to wait, nil where it may try.
    func delay(of peer: HTTPPeer, at now: HostTime) -> Double? {
        guard !isQuiet else { return nil }
        let key = peer.network
        let delay = debts.withLock { debts -> Double? in
            guard let debt = debts[key] else { return nil }
            guard debt > now else {
                debts[key] = nil
                count.store(debts.count, ordering: .relaxed)
                return nil
            }
            return debt - now - Self.interval * Double(Self.burst - 1)
        }
        return delay.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A client has shown a wrong token.
    func noteFailure(of peer: HTTPPeer, at now: HostTime) {
        let key = peer.network
        debts.withLock { debts in
            if debts[key] == nil, debts.count >= Self.capacity {
                debts = debts.filter { $0.value > now }
                if debts.count >= Self.capacity, let least = debts.min(by: { $0.value < $1.value }) { debts[least.key] = nil }
            }
            debts[key] = max(debts[key] ?? now, now) + Self.interval
            count.store(debts.count, ordering: .relaxed)
        }
    }
}
