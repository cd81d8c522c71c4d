import Platform
import Synchronization

/// Slows down the guessing of tokens: after `burst` wrong ones a network must wait before its next attempt. A valid token always passes, because a
/// foreign page can make the owner's browser fail and must not lock the owner out. Any thread.
///
/// A client is identified by its network (`HTTPPeer.network`). One time is stored for each: the end of its debt. Each failure moves it `interval`
/// later, and a network whose debt ends more than `burst` - 1 intervals from now must wait. So memory is one entry for each network that failed
/// lately, at most `capacity`.
final class FailureLimiter: Sendable {
    /// The number of failures that a network may make without waiting.
    static let burst = 10
    /// The time after which one failure is forgiven, in seconds.
    static let interval = 6.0
    /// The maximum number of networks in memory; beyond it the one with the smallest debt is removed.
    static let capacity = 1024

    private let debts = Mutex<[String: HostTime]>([:])
    private let count = Atomic<Int>(0)

    /// Whether no network is in debt, so that no look-up is necessary.
    var isQuiet: Bool { count.load(ordering: .relaxed) == 0 }
    /// The number of networks in memory.
    var addressCount: Int { debts.withLock { $0.count } }

    /// Returns the seconds that a client must wait; nil if it may try now.
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

    /// Counts a wrong token of a client.
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
