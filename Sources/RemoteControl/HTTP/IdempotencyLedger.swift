import Platform
import Playlist

/// The requests with an `Idempotency-Key` that are under way, and the stored answers to earlier ones, within limits of number and size. The ledger is
/// a value without a clock or a lock, which an `IdempotencyStore` owns.
struct IdempotencyLedger: Sendable {
    /// The name of a request: the client's key, together with the client, so that two clients may use the same key.
    struct Key: Hashable, Sendable {
        let client: ClientIdentity
        /// The value of `Idempotency-Key`, in bytes.
        let bytes: [UInt8]
    }

    /// The time, in seconds, for which an answer is stored.
    static let lifetime = 3600.0
    /// The limits of the entries (requests under way and stored answers), in number and in bytes: `all` for all clients together, `ofOne` for one
    /// network (`HTTPPeer.network`). If a limit is exceeded, the oldest answers are removed.
    static let all = Limit(count: SavedAnswers.maximumCount, bytes: SavedAnswers.maximumSize)
    static let ofOne = Limit(count: 250, bytes: 4 << 20)
    /// The size of an entry in bytes, without its key and the body of its answer.
    private static let overhead = 512

    struct Limit: Sendable {
        let count: Int
        let bytes: Int
    }
    struct Entry: Sendable {
        let fingerprint: RequestFingerprint
        let number: UInt64
        let time: HostTime
        let network: String
        /// The date of the request, in seconds since 1970-01-01 UTC.
        let date: Double
        /// The answer to the request; nil while the request is being carried out, or if the program ended during that.
        var response: HTTPResponse?
        var size: Int
        /// The record that survives a restart: the answer, or the fact that the request has changed the player and is not answered yet. Nil if the
        /// request has changed nothing.
        var kept: SavedAnswer?
        /// Whether the program ended after the request had changed the player, and before it was answered.
        var isInterrupted = false

        /// Whether no answer will follow, so that the entry may be removed.
        var hasEnded: Bool { response != nil || isInterrupted }
    }
    struct Sum: Sendable {
        var count = 0
        var bytes = 0
        func exceeds(_ limit: Limit) -> Bool { count > limit.count || bytes > limit.bytes }
    }
    private(set) var entries: [Key: Entry] = [:]
    private(set) var sum = Sum()
    /// The number of changes of the part of the ledger that survives a restart (`saved`), since the start of the program.
    private(set) var edition: UInt64 = 0
    private var networks: [String: Sum] = [:]
    private var number: UInt64 = 0
    /// A host time that is not later than the start of the oldest entry; nil before the first entry.
    private var earliest: HostTime?

    private mutating func add(_ count: Int, _ bytes: Int, of network: String) {
        sum.count += count
        sum.bytes += bytes
        networks[network, default: Sum()].count += count
        networks[network, default: Sum()].bytes += bytes
        if networks[network]?.count == 0 { networks[network] = nil }
    }

    /// Creates the entry of a new request and returns its number; nil if requests under way fill the store, or the network's part of it.
    mutating func begin(_ key: Key, _ fingerprint: RequestFingerprint, of network: String, at now: HostTime, date: Double = 0) -> UInt64? {
        number += 1
        let entry = Entry(
            fingerprint: fingerprint, number: number, time: now, network: network, date: date, response: nil, size: key.bytes.count + Self.overhead)
        entries[key] = entry
        add(1, entry.size, of: network)
        if earliest == nil { earliest = now }
        guard makeRoom(for: network) else {
            forget(key)
            return nil
        }
        return number
    }

    /// Records that a request under way has changed the player, so that its entry survives a restart.
    mutating func noteChange(of key: Key, _ number: UInt64) {
        guard let entry = entries[key], entry.number == number, entry.kept == nil else { return }
        entries[key]?.kept = SavedAnswer(key, entry)
        edition += 1
    }

    mutating func remember(_ response: HTTPResponse, _ size: Int, under key: Key) {
        guard var entry = entries[key] else { return }
        entry.response = response
        entry.size += size
        entry.kept = SavedAnswer(key, entry)
        entries[key] = entry
        edition += 1
        add(0, size, of: entry.network)
        _ = makeRoom(for: entry.network)
    }

    /// Adds the entry of a request of an earlier run, and removes the oldest answers if the limits require it. Does nothing if the key has an entry,
    /// or if `number` is not larger than the numbers of all entries so far.
    /// - Parameter response: The answer; nil if the program ended before the request was answered.
    mutating func restore(
        _ key: Key, _ fingerprint: RequestFingerprint, number: UInt64, of network: String, at time: HostTime, date: Double, _ response: HTTPResponse?
    ) {
        guard entries[key] == nil, number > self.number else { return }
        self.number = number
        var entry = Entry(
            fingerprint: fingerprint, number: number, time: time, network: network, date: date, response: response,
            size: key.bytes.count + Self.overhead)
        if case .bytes(let body) = response?.body { entry.size += body.count }
        entry.kept = SavedAnswer(key, entry)
        entry.isInterrupted = response == nil
        entries[key] = entry
        add(1, entry.size, of: network)
        earliest = min(earliest ?? time, time)
        _ = makeRoom(for: network)
    }

    mutating func forget(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        add(-1, -entry.size, of: entry.network)
        if entry.kept != nil { edition += 1 }
    }

    /// Removes answers that are older than `lifetime`.
    mutating func expire(at now: HostTime) {
        guard let earliest, now - earliest > Self.lifetime else { return }
        for (key, entry) in entries where entry.hasEnded && now - entry.time > Self.lifetime { forget(key) }
        self.earliest = entries.values.map(\.time).min()
    }

    /// Removes the oldest answers until the limits hold, first those of the network, then those of all clients. Returns false if too many entries
    /// remain, because they are requests under way. A limit in bytes may stay exceeded: by a network's only answer, or by requests under way.
    private mutating func makeRoom(for network: String) -> Bool {
        while networks[network]?.exceeds(Self.ofOne) == true {
            // The only stored answer of a network is not removed, even if it exceeds the limit of bytes.
            let isFull = (networks[network]?.count ?? 0) > Self.ofOne.count
            guard forgetOldest(of: network, keepsLast: !isFull) else {
                guard !isFull else { return false }
                break
            }
        }
        while sum.exceeds(Self.all) { guard forgetOldest(of: nil, keepsLast: false) else { return sum.count <= Self.all.count } }
        return true
    }

    /// Removes the answer of the oldest request of a network, or of all networks if `network` is nil. Returns false if there is no answer to remove.
    /// - Parameter keepsLast: Whether the answer stays if it is the only one.
    private mutating func forgetOldest(of network: String?, keepsLast: Bool) -> Bool {
        var oldest: (key: Key, number: UInt64)?
        var count = 0
        for (key, entry) in entries where entry.hasEnded && (network == nil || entry.network == network) {
            count += 1
            if entry.number < oldest?.number ?? .max { oldest = (key, entry.number) }
        }
        guard let oldest, count > 1 || !keepsLast else { return false }
        forget(oldest.key)
        return true
    }
}
