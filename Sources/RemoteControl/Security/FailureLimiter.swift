import Platform
import Synchronization

/// Slows down the guessing of tokens: after `burst` wrong tokens a network must wait before its next attempt. A valid token is always accepted, even
/// then. Otherwise a foreign page could lock the user out, because it can make the user's browser send wrong tokens. Any thread may use the limiter.
///
/// A client is identified by its network (`HTTPPeer.network`). Each failure adds `interval` seconds to the debt of the network, which decreases with
/// time. The network must wait while its debt is more than `burst` - 1 intervals. Only the host time at which the debt ends is stored, so a network
/// that failed lately needs one entry. There are at most `capacity` entries.
final class FailureLimiter: Sendable {
    /// The number of failures that a network may have without waiting.
    static let burst = 10
    /// The time, in seconds, after which one failure of a network no longer counts.
    static let interval = 6.0
    /// The maximum number of networks whose failures are stored. If more networks fail, the network with the smallest debt is removed.
    static let capacity = 1024

    private let debts = Mutex<[String: HostTime]>([:])

    /// The number of networks whose failures are stored.
    var addressCount: Int { debts.withLock { $0.count } }

    /// Returns the number of seconds that a client must wait before its next attempt; nil if an attempt is permitted now.
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

    /// Counts a wrong token that a client has sent.
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
