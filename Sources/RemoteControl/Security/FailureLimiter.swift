import Platform
import Synchronization

/// Slows down the guessing of tokens: after `burst` wrong tokens a network (`HTTPPeer.network`) must wait before its next attempt. A valid token is
/// always accepted: otherwise a foreign page, which can make the user's browser send wrong tokens, could lock the user out.
///
/// Each failure adds `interval` seconds to a debt that decreases with time; above `burst` - 1 intervals the network must wait. Only the host time at
/// which the debt ends is stored.
final class FailureLimiter: Sendable {
    static let burst = 10
    /// In seconds.
    static let interval = 6.0
    /// If more networks fail, the one with the smallest debt is forgotten.
    static let capacity = 1024

    private let debts = Mutex<[String: HostTime]>([:])

    var addressCount: Int { debts.withLock { $0.count } }

    /// In seconds; nil if an attempt is permitted now.
    func delay(of peer: HTTPPeer, at now: HostTime) -> Double? {
        let key = peer.network
        let delay = debts.withLock { debts -> Double? in
            guard let debt = debts[key] else { return nil }
            guard debt > now else {
                debts[key] = nil
                return nil
            }
            return debt - now - Self.interval * Double(Self.burst - 1)
        }
        return delay.flatMap { $0 > 0 ? $0 : nil }
    }

    func noteFailure(of peer: HTTPPeer, at now: HostTime) {
        let key = peer.network
        debts.withLock { debts in
            if debts[key] == nil, debts.count >= Self.capacity {
                debts = debts.filter { $0.value > now }
                if debts.count >= Self.capacity, let least = debts.min(by: { $0.value < $1.value }) { debts[least.key] = nil }
            }
            debts[key] = max(debts[key] ?? now, now) + Self.interval
        }
    }
}
