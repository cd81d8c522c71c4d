import Platform
import Playlist

/// Saves and restores the part of the ledger that survives a restart: the stored answers, and the requests that have changed the player and are not
/// answered yet.
extension IdempotencyLedger {
    /// The part of the ledger that survives a restart. Reading it costs a few microseconds, because the copies share their memory with the ledger.
    var saved: SavedAnswers { SavedAnswers(edition: edition, answers: entries.values.compactMap(\.kept)) }

    /// Adds the answers of an earlier run, within the limits. Answers that are too old are ignored. Malformed answers, which no run of this program
    /// can have saved, are ignored too.
    ///
    /// - Parameters:
    ///   - now: The present host time.
    ///   - date: The present date, in seconds since 1970-01-01 UTC.
    mutating func restore(_ answers: [SavedAnswer], at now: HostTime, date: Double) {
        for answer in answers.sorted(by: { $0.number < $1.number }) {
            // If the clock of the machine was set back, the answer counts as new.
            let age = max(0, date - answer.date)
            guard let client = ClientIdentity(bytes: answer.client), let fingerprint = RequestFingerprint(bytes: answer.fingerprint),
                (1...IdempotencyStore.maximumKeyLength).contains(answer.key.count), answer.network.utf8.count <= Self.maximumNetworkLength,
                (1..<Self.endOfNumbers).contains(answer.number), answer.date.isFinite, age <= Self.lifetime
            else { continue }
            restore(
                Key(client: client, bytes: answer.key), fingerprint, number: UInt64(answer.number), of: answer.network, at: now + -age,
                date: answer.date, answer.response.map(HTTPResponse.init))
        }
    }

    /// The largest length of a client's network, in bytes.
    private static let maximumNetworkLength = 64
    /// The first number that is not accepted from an earlier run. It is small enough that the numbers of this run, which follow, do not overflow.
    private static let endOfNumbers = Int64.max / 2
}

extension SavedAnswer {
    /// Creates the record of an entry of the ledger that survives a restart.
    init(_ key: IdempotencyLedger.Key, _ entry: IdempotencyLedger.Entry) {
        self.init(
            number: Int64(clamping: entry.number), client: key.client.bytes, key: key.bytes, fingerprint: entry.fingerprint.bytes,
            network: entry.network, date: entry.date, response: entry.response.flatMap(SavedAnswer.Response.init))
    }
}

extension SavedAnswer.Response {
    /// Creates the record of an answer that survives a restart; nil if the answer is a stream of events.
    fileprivate init?(_ response: HTTPResponse) {
        guard case .bytes(let body) = response.body else { return nil }
        self.init(status: response.status, fields: response.headers.map { SavedAnswer.Field(name: $0.name, value: $0.value) }, body: body)
    }
}

extension HTTPResponse {
    fileprivate init(_ saved: SavedAnswer.Response) {
        self.init(status: saved.status, headers: saved.fields.map { ($0.name, $0.value) }, body: saved.body)
    }
}
