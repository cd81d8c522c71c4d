import Platform
import Synchronization

/// Prevents a change from being carried out twice if its answer was lost and the client repeats the request
/// (draft-ietf-httpapi-idempotency-key-header).
///
/// Kept in memory are the answer of each success (2xx), and the problem of each request that failed after it had changed the player. A request
/// that changed nothing may be carried out again. The entry of a request in progress is never removed, because the request could then run twice.
final class IdempotencyKeys: Sendable {
    static let maximumKeyLength = 255
    /// The time for which an answer is kept, in seconds.
    static let lifetime = 3600.0
    /// The limits for all clients, and for one network (`HTTPPeer.network`). The oldest answers are removed, the newest stays in any case.
    static let all = Limit(count: 1000, bytes: 8 << 20)
    static let ofOne = Limit(count: 250, bytes: 4 << 20)
    /// The assumed size of an entry without the key and the body, in bytes.
    private static let overhead = 512

    struct Limit: Sendable {
        let count: Int
        let bytes: Int
    }
    private struct Key: Equatable, Sendable {
        let client: ClientIdentity
        let bytes: [UInt8]
    }
    private struct Entry: Sendable {
        let key: Key
        let fingerprint: RequestFingerprint
        let network: [UInt8]
        let time: HostTime
        /// The answer; nil while the request is in progress.
        var response: HTTPResponse?
        var size: Int
    }

    let clock: any HostClock
    /// The entries in the order of their requests; so few that each change can search all of them.
    private let entries = Mutex<[Entry]>([])

    init(clock: any HostClock) { self.clock = clock }

    var count: Int { entries.withLock { $0.count } }
    var bytes: Int { entries.withLock { $0.reduce(0) { $0 + $1.size } } }

    /// - Parameter operation: The id of the request's operation.
    func once(_ request: RouteRequest, _ operation: String, _ handle: () throws(Problem) -> Route.Outcome) throws(Problem) -> Route.Outcome {
        guard let text = try Self.key(request.fields) else { return try handle() }
        let key = Key(client: ClientIdentity(request), bytes: Array(text.utf8))
        if var known = try begin(key, RequestFingerprint(request, operation), of: Array(request.request.peer.network.utf8)) {
            known.headers.append(("Idempotency-Replayed", "true"))
            return .now(known)
        }
        do throws(Problem) {
            switch try handle() {
            case .now(let response):
                finish(key, response)
                return .now(response)
            case .onMainActor(let work):
                return .onMainActor { () throws(Problem) -> HTTPResponse in
                    do throws(Problem) { return self.finish(key, try await work()) } catch { throw self.fail(key, error) }
                }
            case .elsewhere(let work):
                return .elsewhere { () throws(Problem) -> HTTPResponse in
                    do throws(Problem) { return self.finish(key, try await work()) } catch { throw self.fail(key, error) }
                }
            }
        } catch {
            throw fail(key, error)
        }
    }

    /// The kept answer; nil if the request is new, and is now in progress.
    private func begin(_ key: Key, _ fingerprint: RequestFingerprint, of network: [UInt8]) throws(Problem) -> HTTPResponse? {
        let now = clock.now
        let found = entries.withLock { entries -> Result<HTTPResponse?, Problem> in
            entries.removeAll { $0.response != nil && now - $0.time > Self.lifetime }
            if let entry = entries.first(where: { $0.key == key }) {
                guard entry.fingerprint == fingerprint else {
                    return .failure(
                        Problem(.idempotencyKeyReused, "Another request has used this Idempotency-Key. Use a new key for each request."))
                }
                guard let response = entry.response else {
                    return .failure(Problem(.requestInProgress, "A request with this Idempotency-Key is in progress."))
                }
                return .success(response)
            }
            entries.append(
                Entry(key: key, fingerprint: fingerprint, network: network, time: now, response: nil, size: key.bytes.count + Self.overhead))
            guard Self.makeRoom(for: key, of: network, in: &entries) else {
                entries.removeLast()
                var problem = Problem(.tooManyRequests, "Too many requests with an Idempotency-Key are in progress.")
                problem.retryAfter = 1
                return .failure(problem)
            }
            return .success(nil)
        }
        return try found.get()
    }

    /// Keeps the answer, unless the request has changed nothing.
    /// - Parameter followsChange: Whether the request has changed the player although its answer is a problem.
    @discardableResult private func finish(_ key: Key, _ response: HTTPResponse, followsChange: Bool = false) -> HTTPResponse {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
            guard followsChange || (200..<300).contains(response.status), case .bytes(let body) = response.body else {
                entries.remove(at: index)
                return
            }
            entries[index].response = response
            entries[index].size += body.count
            _ = Self.makeRoom(for: key, of: entries[index].network, in: &entries)
        }
        return response
    }

    private func fail(_ key: Key, _ problem: Problem) -> Problem {
        finish(key, problem.response, followsChange: problem.followsChange)
        return problem
    }

    /// Removes the oldest answers except that of `key`, first of the network, then of all. Returns false if too many requests are in progress.
    private static func makeRoom(for key: Key, of network: [UInt8], in entries: inout [Entry]) -> Bool {
        for (limit, isCounted) in [(ofOne, { $0.network == network }), (all, { _ in true })] as [(Limit, (Entry) -> Bool)] {
            while true {
                let sum = entries.reduce(into: (count: 0, bytes: 0)) { sum, entry in
                    if isCounted(entry) { sum = (sum.count + 1, sum.bytes + entry.size) }
                }
                if sum.count <= limit.count, sum.bytes <= limit.bytes { break }
                guard let oldest = entries.firstIndex(where: { isCounted($0) && $0.response != nil && $0.key != key }) else {
                    guard sum.count <= limit.count else { return false }
                    break
                }
                entries.remove(at: oldest)
            }
        }
        return true
    }

    private static func key(_ fields: RequestFields) throws(Problem) -> String? {
        guard fields.idempotencyKeys.count <= 1 else { throw Problem(.malformedRequest, "The request has more than one Idempotency-Key field.") }
        guard let key = fields.idempotencyKeys.first else { return nil }
        guard isKey(key) else { throw Problem(.malformedRequest, keyRule) }
        return key
    }

    static let keyRule = "The Idempotency-Key must have 1 to \(maximumKeyLength) visible characters of ASCII."

    static func isKey(_ text: String) -> Bool {
        (1...maximumKeyLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
