import Platform

/// The secret that authorises a client. A token has 16 to 512 characters, which need no quoting in a header field, a cookie or the fragment of a URL
/// (RFC 6750, 2.1).
public struct AccessToken: Sendable {
    /// The permitted lengths of a token, in characters. At the rate of attempts that `FailureLimiter` permits, a token of the minimum length cannot
    /// be guessed.
    public static let lengths = 16...512

    private let bytes: [UInt8]

    /// Creates a token; nil if the text is too short or too long, or contains a character other than letters, digits, `-`, `.`, `_`, `~`, `+`, `/`
    /// and `=`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy({ PercentEncoding.isUnreserved($0) || "+/=".utf8.contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns a new token of 256 bits from the system's random generator.
    public static func random() -> AccessToken {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        return AccessToken(bytes: (0..<43).map { _ in alphabet[Int(generator.next() & 63)] })
    }

    /// The token as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether `candidate` consists of exactly the token's bytes. The duration of the comparison does not reveal the position of the first
    /// difference.
    func matches(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var difference = candidate.count ^ bytes.count
        for index in bytes.indices { difference |= Int(bytes[index] ^ (index < candidate.count ? candidate[index] : 0)) }
        return difference == 0
    }
}
