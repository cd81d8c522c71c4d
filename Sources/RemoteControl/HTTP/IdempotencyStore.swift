import Platform
import PlaybackEngine
import Synchronization

/// Prevents that a POST request is carried out twice if its answer was lost and the client repeats it (draft-ietf-httpapi-idempotency-key-header).
///
/// Successful answers (2xx) are stored under the client's `Idempotency-Key`, for a limited time and within limits of number and size. A failed
/// request has changed nothing, so its entry is removed at once. The entry of a request under way is never removed, because the same request could
/// then run twice. If requests under way fill the store, requests with new keys are refused. Any thread.
final class IdempotencyStore: Sendable {
    /// The time, in seconds, for which an answer is stored.
    static let lifetime = 3600.0
    /// The limits of the store's entries (requests under way and stored answers), in number and in bytes: first for all clients, then for one client
    /// (`HTTPPeer.network`). The oldest answers are removed first.
    static let all = Limit(count: 1000, bytes: 8 << 20)
    static let ofOne = Limit(count: 250, bytes: 4 << 20)
    static let maximumKeyLength = 255
    /// The size of an entry in bytes, without its key and the body of its answer.
    private static let overhead = 512

    struct Limit {
        let count: Int
        let bytes: Int
    }
    private struct Entry {
        let fingerprint: Int
        let number: UInt64
        let time: HostTime
        let client: String
        /// The answer to the request; nil while the request is being carried out.
        var response: HTTPResponse?
        var size: Int
    }
    private struct Sum {
        var count = 0
        var bytes = 0
        func exceeds(_ limit: Limit) -> Bool { count > limit.count || bytes > limit.bytes }
    }
    private struct State {
        private(set) var entries: [String: Entry] = [:]
        private(set) var sum = Sum()
        private var clients: [String: Sum] = [:]
        private var number: UInt64 = 0
        /// A host time that is not later than the start of the oldest entry; nil before the first entry.
        private var earliest: HostTime?

        private mutating func add(_ count: Int, _ bytes: Int, of client: String) {
            sum.count += count
            sum.bytes += bytes
            clients[client, default: Sum()].count += count
            clients[client, default: Sum()].bytes += bytes
            if clients[client]?.count == 0 { clients[client] = nil }
        }

        /// Creates the entry of a new request and returns its number; nil if requests under way fill the store.
        mutating func begin(_ key: String, _ fingerprint: Int, of client: String, at now: HostTime) -> UInt64? {
            number += 1
            let entry = Entry(fingerprint: fingerprint, number: number, time: now, client: client, response: nil, size: key.utf8.count + overhead)
            entries[key] = entry
            add(1, entry.size, of: client)
            if earliest == nil { earliest = now }
            guard makeRoom(for: client) else {
                forget(key)
                return nil
            }
            return number
        }

        mutating func remember(_ response: HTTPResponse, _ size: Int, under key: String) {
            guard let client = entries[key]?.client else { return }
            entries[key]?.response = response
            entries[key]?.size += size
            add(0, size, of: client)
            _ = makeRoom(for: client)
        }

        mutating func forget(_ key: String) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            add(-1, -entry.size, of: entry.client)
        }

        /// Removes answers that are older than `lifetime`.
        mutating func expire(at now: HostTime) {
            guard let earliest, now - earliest > lifetime else { return }
            for (key, entry) in entries where entry.response != nil && now - entry.time > lifetime { forget(key) }
            self.earliest = entries.values.map(\.time).min()
        }

        /// Removes the oldest answers, first of the client and then of all clients, until the limits hold. Returns false if the limits cannot be met.
        private mutating func makeRoom(for client: String) -> Bool {
            while clients[client]?.exceeds(ofOne) == true {
                // A client's only stored answer is not removed, even if it exceeds the client's limit of bytes.
                let isFull = (clients[client]?.count ?? 0) > ofOne.count
                guard forgetOldest(of: client, keepsLast: !isFull) else {
                    guard !isFull else { return false }
                    break
                }
            }
            while sum.exceeds(all) { guard forgetOldest(of: nil, keepsLast: false) else { return sum.count <= all.count } }
            return true
        }

        /// Removes the answer of the oldest request, either of one client or, if `client` is nil, of all clients. Returns false if there is no answer
        /// to remove.
        private mutating func forgetOldest(of client: String?, keepsLast: Bool) -> Bool {
            var oldest: (key: String, number: UInt64)?
            var count = 0
            for (key, entry) in entries where entry.response != nil && (client == nil || entry.client == client) {
                count += 1
                if entry.number < oldest?.number ?? .max { oldest = (key, entry.number) }
            }
            guard let oldest, count > 1 || !keepsLast else { return false }
            forget(oldest.key)
            return true
        }
    }
    private enum Finding {
        case new(UInt64)
        case answered(HTTPResponse)
        case busy, other, full
    }

    private let clock: any HostClock
    private let state = Mutex(State())

    init(clock: any HostClock) { self.clock = clock }

    /// Carries out a request with `handle`, or returns the stored answer if the request repeats an earlier one.
    func once(_ request: RouteRequest, _ handle: () throws(Problem) -> Route.Outcome) throws(Problem) -> Route.Outcome {
        guard let key = try Self.key(request.fields) else { return try handle() }
        let number: UInt64
        switch find(key, Self.fingerprint(request.request), request.request.peer.network) {
        case .new(let new): number = new
        case .answered(var response):
            response.headers.append(("Idempotency-Replayed", "true"))
            return .now(response)
        case .busy: throw Problem(.requestInProgress, "A request with this Idempotency-Key is in progress.")
        case .full:
            var problem = Problem(.tooManyRequests, "Too many requests with an Idempotency-Key are in progress.")
            problem.retryAfter = 1
            throw problem
        case .other: throw Problem(.idempotencyKeyReused, "Another request has used this Idempotency-Key. Use a new key for each request.")
        }
        let outcome: Route.Outcome
        do throws(Problem) {
            outcome = try handle()
        } catch {
            finish(key, number, nil)
            throw error
        }
        switch outcome {
        case .now(let response):
            finish(key, number, response)
            return outcome
        case .onMainActor(let work):
            return .onMainActor { () throws(Problem) -> HTTPResponse in
                do throws(Problem) { return self.finish(key, number, try await work()) } catch {
                    self.finish(key, number, nil)
                    throw error
                }
            }
        case .elsewhere(let work):
            return .elsewhere { () throws(Problem) -> HTTPResponse in
                do throws(Problem) { return self.finish(key, number, try await work()) } catch {
                    self.finish(key, number, nil)
                    throw error
                }
            }
        }
    }

    /// The number of entries (requests under way and stored answers). Their size in bytes is `bytes`.
    var count: Int { state.withLock { $0.sum.count } }
    var bytes: Int { state.withLock { $0.sum.bytes } }

    private func find(_ key: String, _ fingerprint: Int, _ client: String) -> Finding {
        let now = clock.now
        return state.withLock { state in
            state.expire(at: now)
            if let entry = state.entries[key] {
                guard entry.fingerprint == fingerprint else { return .other }
                return entry.response.map { .answered($0) } ?? .busy
            }
            return state.begin(key, fingerprint, of: client, at: now).map { .new($0) } ?? .full
        }
    }

    /// Stores the answer of a successful request, or removes the entry of a failed request.
    @discardableResult private func finish(_ key: String, _ number: UInt64, _ response: HTTPResponse) -> HTTPResponse {
        finish(key, number, Optional(response))
        return response
    }

    private func finish(_ key: String, _ number: UInt64, _ response: HTTPResponse?) {
        state.withLock { state in
            guard state.entries[key]?.number == number else { return }
            guard let response, (200..<300).contains(response.status), case .bytes(let body) = response.body else { return state.forget(key) }
            state.remember(response, body.count, under: key)
        }
    }

    private static func key(_ fields: RequestFields) throws(Problem) -> String? {
        guard fields.idempotencyKeys.count <= 1 else { throw Problem(.malformedRequest, "The request has more than one Idempotency-Key field.") }
        guard let key = fields.idempotencyKeys.first else { return nil }
        guard !key.isEmpty, key.utf8.count <= maximumKeyLength, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(.malformedRequest, "The Idempotency-Key must have 1 to \(maximumKeyLength) visible characters.")
        }
        return key
    }

    /// Returns a hash of a request, which is compared to detect a key that is used for another request. Swift's hash is seeded for each process, so a
    /// client cannot construct two requests with the same hash.
    private static func fingerprint(_ request: HTTPRequest) -> Int {
        var hasher = Hasher()
        hasher.combine(request.path)
        hasher.combine(request.query)
        // Hash the JSON value and not its text, because many encoders change the order of an object's members.
        if let value = try? JSONParser.parse(request.body) { value.combine(into: &hasher) } else { hasher.combine(request.body) }
        return hasher.finalize()
    }
}

extension JSONValue {
    /// Hashes the JSON value independently of the order of members. Strings are hashed as bytes, because `String` equates composed and decomposed
    /// letters.
    fileprivate func combine(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value ? 1 : 2)
        case .number(let number):
            hasher.combine(3)
            hasher.combine(Array(number.text.utf8))
        case .string(let text):
            hasher.combine(4)
            hasher.combine(Array(text.utf8))
        case .array(let elements):
            hasher.combine(5)
            hasher.combine(elements.count)
            for element in elements { element.combine(into: &hasher) }
        case .object(let members):
            hasher.combine(6)
            hasher.combine(members.count)
            for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                hasher.combine(Array(member.name.utf8))
                member.value.combine(into: &hasher)
            }
        }
    }
}
