import Platform
import PlaybackEngine
import Playlist
import Synchronization

/// Prevents a change from being carried out twice if its answer was lost and the client repeats the request
/// (draft-ietf-httpapi-idempotency-key-header).
///
/// The store keeps the answer of every success (2xx), and the problem of a request that failed after it had changed the player. An answer is kept
/// under the client and its `Idempotency-Key`, for a limited time and within limits of number and size (`IdempotencyLedger`). A request that failed
/// and changed nothing may be carried out again, so its entry is removed at once. The entry of a request under way is never removed, because the same
/// request could then run twice. If requests under way fill the store, requests with new keys are refused. Any thread may use the store.
final class IdempotencyStore: Sendable {
    static let maximumKeyLength = 255

    private enum Finding {
        case new(UInt64)
        case answered(HTTPResponse)
        case busy, interrupted, other, full
    }

    private let clock: any HostClock
    private let wallClock: any WallClock
    /// The archive that saves the answers, so that they survive a restart; nil if they are not saved.
    private let archive: (any AnswerArchive)?
    private let state: Mutex<IdempotencyLedger>

    /// Creates a store with the answers that an archive has kept from an earlier run.
    init(
        clock: any HostClock, wallClock: any WallClock = SystemWallClock(), archive: (any AnswerArchive)? = nil, restoring kept: [SavedAnswer] = []
    ) {
        self.clock = clock
        self.wallClock = wallClock
        self.archive = archive
        var ledger = IdempotencyLedger()
        ledger.restore(kept, at: clock.now, date: wallClock.secondsSince1970)
        state = Mutex(ledger)
    }

    /// Carries out a request with `handle`, or returns the stored answer if the request repeats an earlier one.
    /// - Parameter operation: The id of the request's operation.
    func once(_ request: RouteRequest, _ operation: String, _ handle: () throws(Problem) -> Route.Outcome) throws(Problem) -> Route.Outcome {
        guard let text = try Self.key(request.fields) else { return try handle() }
        let key = IdempotencyLedger.Key(client: ClientIdentity(request), bytes: Array(text.utf8))
        let number: UInt64
        switch find(key, RequestFingerprint(request, operation), request.request.peer.network) {
        case .new(let new): number = new
        case .answered(var response):
            response.headers.append(("Idempotency-Replayed", "true"))
            return .now(response)
        case .interrupted:
            throw Problem(
                .requestInterrupted, "The program ended after it had carried out this request and before the answer was kept. Read the state.")
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
            throw fail(key, number, error)
        }
        switch outcome {
        case .now(let response):
            finish(key, number, response)
            return outcome
        case .onMainActor(let work):
            return .onMainActor { () throws(Problem) -> HTTPResponse in
                do throws(Problem) {
                    return self.finish(
                        key, number,
                        try await RequestMark.during({ self.noteChange(key, number) }) { () throws(Problem) -> HTTPResponse in try await work() })
                } catch { throw self.fail(key, number, error) }
            }
        case .elsewhere(let work):
            return .elsewhere { () throws(Problem) -> HTTPResponse in
                do throws(Problem) {
                    return self.finish(
                        key, number,
                        try await RequestMark.during({ self.noteChange(key, number) }) { () throws(Problem) -> HTTPResponse in try await work() })
                } catch { throw self.fail(key, number, error) }
            }
        }
    }

    /// Changes the ledger with `change`. If the part that survives a restart has changed, gives it to the archive.
    private func edit<Result>(_ change: (inout IdempotencyLedger) -> Result) -> Result where Result: Sendable {
        let (result, saved) = state.withLock { ledger -> (Result, SavedAnswers?) in
            let former = ledger.edition
            let result = change(&ledger)
            return (result, archive != nil && ledger.edition != former ? ledger.saved : nil)
        }
        if let saved { archive?.keep(saved) }
        return result
    }

    /// Records that a request under way has changed the player. Called when the player gives the changed state to its own archive.
    private func noteChange(_ key: IdempotencyLedger.Key, _ number: UInt64) { edit { $0.noteChange(of: key, number) } }

    /// The number of entries in the store (requests under way and stored answers); the size of all entries, in bytes, is `bytes`.
    var count: Int { state.withLock { $0.sum.count } }
    var bytes: Int { state.withLock { $0.sum.bytes } }

    private func find(_ key: IdempotencyLedger.Key, _ fingerprint: RequestFingerprint, _ network: String) -> Finding {
        let (now, date) = (clock.now, wallClock.secondsSince1970)
        return edit { state -> Finding in
            state.expire(at: now)
            if let entry = state.entries[key] {
                guard entry.fingerprint == fingerprint else { return .other }
                return entry.response.map { .answered($0) } ?? (entry.isInterrupted ? .interrupted : .busy)
            }
            return state.begin(key, fingerprint, of: network, at: now, date: date).map { .new($0) } ?? .full
        }
    }

    /// Stores the answer to a request, or removes the entry of a request that changed nothing.
    /// - Parameter followsChange: Whether the request has changed the player although its answer is a problem.
    @discardableResult private func finish(
        _ key: IdempotencyLedger.Key, _ number: UInt64, _ response: HTTPResponse, followsChange: Bool = false
    ) -> HTTPResponse {
        edit { state in
            guard state.entries[key]?.number == number else { return }
            guard followsChange || (200..<300).contains(response.status), case .bytes(let body) = response.body else { return state.forget(key) }
            state.remember(response, body.count, under: key)
        }
        return response
    }

    private func fail(_ key: IdempotencyLedger.Key, _ number: UInt64, _ problem: Problem) -> Problem {
        finish(key, number, problem.response, followsChange: problem.followsChange)
        return problem
    }

    private static func key(_ fields: RequestFields) throws(Problem) -> String? {
        guard fields.idempotencyKeys.count <= 1 else { throw Problem(.malformedRequest, "The request has more than one Idempotency-Key field.") }
        guard let key = fields.idempotencyKeys.first else { return nil }
        guard isKey(key) else { throw Problem(.malformedRequest, keyRule) }
        return key
    }

    /// The rule for the text of a key.
    static let keyRule = "The Idempotency-Key must have 1 to \(maximumKeyLength) visible characters of ASCII."

    /// Whether a text may be a key.
    static func isKey(_ text: String) -> Bool {
        (1...maximumKeyLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
