import PlaybackEngine
import Synchronization

/// Sees to it that a POST request that is sent again, because its answer was lost on the way, is not carried out again (draft-ietf-httpapi-idempotency-key-header).
///
/// What was carried out (2xx) is remembered under the client's key, for a while and for a bounded number of keys and bytes; a request that failed has
/// changed nothing, and may be repeated. Any thread.
final class IdempotencyStore: Sendable {
    /// Seconds for which an answer is remembered.
    static let lifetime = 3600.0
    /// How many, and how many bytes of bodies altogether; the oldest go first.
    static let capacity = 1000
    static let byteCapacity = 8 << 20
    static let maximumKeyLength = 255

    private struct Entry {
        let fingerprint: Int
        let number: UInt64
        let time: HostTime
        /// nil while the request is being carried out.
        var response: HTTPResponse?
        var size = 0
    }
    private struct State {
        var entries: [String: Entry] = [:]
        var order: [(key: String, number: UInt64)] = []
        var bytes = 0
        var count: UInt64 = 0

        mutating func forget(_ key: String) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            bytes -= entry.size
        }

        /// Makes room: what is too old, then the oldest.
        mutating func evict(at now: HostTime) {
            var gone = 0
            for (key, number) in order {
                let entry = entries[key]
                let isCurrent = entry?.number == number
                if isCurrent, let entry {
                    guard entries.count > capacity || bytes > byteCapacity || now - entry.time > lifetime else { break }
                    forget(key)
                }
                gone += 1
            }
            order.removeFirst(gone)
        }
    }
    private enum Finding {
        case new(UInt64)
        case answered(HTTPResponse)
        case busy, other
    }

    private let clock: any HostClock
    private let state = Mutex(State())

    init(clock: any HostClock) { self.clock = clock }

    /// Carries out a request, or gives the answer that it had before.
    func once(_ request: RouteRequest, _ handle: () throws(Problem) -> Route.Outcome) throws(Problem) -> Route.Outcome {
        guard let key = try Self.key(request.fields) else { return try handle() }
        let number: UInt64
        switch find(key, Self.fingerprint(request.request)) {
        case .new(let new): number = new
        case .answered(var response):
            response.headers.append(("Idempotency-Replayed", "true"))
            return .now(response)
        case .busy: throw Problem(.requestInProgress, "A request with this Idempotency-Key is being carried out.")
        case .other: throw Problem(.idempotencyKeyReused, "This Idempotency-Key came with another request before: make a new one for each.")
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

    /// How many requests are remembered.
    var count: Int { state.withLock { $0.entries.count } }

    private func find(_ key: String, _ fingerprint: Int) -> Finding {
        let now = clock.now
        return state.withLock { state in
            state.evict(at: now)
            if let entry = state.entries[key] {
                guard entry.fingerprint == fingerprint else { return .other }
                return entry.response.map { .answered($0) } ?? .busy
            }
            state.count += 1
            state.entries[key] = Entry(fingerprint: fingerprint, number: state.count, time: now)
            state.order.append((key, state.count))
            return .new(state.count)
        }
    }

    /// Remembers what has been carried out, and forgets what has not.
    @discardableResult private func finish(_ key: String, _ number: UInt64, _ response: HTTPResponse) -> HTTPResponse {
        finish(key, number, Optional(response))
        return response
    }

    private func finish(_ key: String, _ number: UInt64, _ response: HTTPResponse?) {
        let now = clock.now
        state.withLock { state in
            guard state.entries[key]?.number == number else { return }
            guard let response, (200..<300).contains(response.status), case .bytes(let body) = response.body else { return state.forget(key) }
            let size = body.count + 512
            state.entries[key]?.response = response
            state.entries[key]?.size = size
            state.bytes += size
            state.evict(at: now)
        }
    }

    private static func key(_ fields: RequestFields) throws(Problem) -> String? {
        guard fields.idempotencyKeys.count <= 1 else { throw Problem(.malformedRequest, "A header field is given twice.") }
        guard let key = fields.idempotencyKeys.first else { return nil }
        guard !key.isEmpty, key.utf8.count <= maximumKeyLength, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(.malformedRequest, "The Idempotency-Key must have 1 to \(maximumKeyLength) visible characters.")
        }
        return key
    }

    /// Swift's hash has a seed of its own for each process: nobody outside can make two requests look the same.
    private static func fingerprint(_ request: HTTPRequest) -> Int {
        var hasher = Hasher()
        hasher.combine(request.path)
        hasher.combine(request.query)
        // What it says counts, not how: many encoders write the members of an object in another order each time.
        if let value = try? JSONParser.parse(request.body) { value.combine(into: &hasher) } else { hasher.combine(request.body) }
        return hasher.finalize()
    }
}

extension JSONValue {
    /// The same for the same members in any order. Byte by byte: Swift's strings hold composed and decomposed letters to be equal.
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
