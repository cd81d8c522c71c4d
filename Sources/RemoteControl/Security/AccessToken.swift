import Platform

/// The secret that authorises a client: characters that need no quoting in a header field, a cookie or the fragment of a URL (RFC 6750, 2.1).
public struct AccessToken: Sendable {
    /// The permitted lengths, in characters. At the rate of `FailureLimiter`, the shortest cannot be guessed.
    public static let lengths = 16...512

    private let bytes: [UInt8]

    /// Makes a token; nil for other lengths and for characters other than letters, digits, `-`, `.`, `_`, `~`, `+`, `/` and `=`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy({ PercentEncoding.isUnreserved($0) || "+/=".utf8.contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// A new token, with 256 bits from the system's random generator.
    public static func random() -> AccessToken {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        return AccessToken(bytes: (0..<43).map { _ in alphabet[Int(generator.next() & 63)] })
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the candidate is the token. The duration does not reveal the position of the first difference.
    func matches(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var difference = candidate.count ^ bytes.count
        for index in bytes.indices { difference |= Int(bytes[index] ^ (index < candidate.count ? candidate[index] : 0)) }
        return difference == 0
    }
}

/// A cookie for which a browser exchanges a token: `EXPIRY.ID.CODE`, with an HMAC-SHA256 of the rest and of the cookie's name, whose key is the
/// token. It does not reveal the token, and is invalid once the token is not accepted. The server stores nothing.
enum SessionCookie {
    /// One year, in seconds.
    static let lifetime = 365 * 86_400

    enum Verdict { case good, expired, wrong }

    /// - Parameter now: The date, in seconds since 1970.
    static func make(_ token: AccessToken, name: String, now: Double) -> String {
        var generator = SystemRandomNumberGenerator()
        let claim = "\(Int64(now) + Int64(lifetime)).\(hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))"
        return claim + "." + code(token, claim, name)
    }

    /// Checks a cookie. All tokens are tried, so that the duration does not reveal which was used.
    /// - Parameter now: The date, in seconds since 1970.
    static func check(_ value: String, _ tokens: [AccessToken], name: String, now: Double) -> Verdict {
        let parts = value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // An HMAC is computed only for a value with the lengths of our cookies; the head of a request has room for few of them.
        guard value.utf8.count <= 160, parts.count == 3, parts[1].count == 32, parts[2].count == 64,
            let expiry = Int64(String(Substring(parts[0])))
        else { return .wrong }
        let claim = String(Substring(parts[0])) + "." + String(Substring(parts[1]))
        let given = Array(parts[2])
        let isOurs = tokens.reduce(false) { MessageAuthentication.matches(Array(code($1, claim, name).utf8), given) || $0 }
        guard isOurs else { return .wrong }
        return now < Double(expiry) ? .good : .expired
    }

    private static func code(_ token: AccessToken, _ claim: String, _ name: String) -> String {
        let message = "tonearm session 1\n\(name)\n\(claim)"
        return hexadecimal(MessageAuthentication.sha256(key: Array(token.text.utf8), message: Array(message.utf8)))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
