import Platform

/// The secret that authorises a client: characters that need no quoting in a header field, a cookie or the fragment of a URL (RFC 6750, 2.1).
public struct AccessToken: Sendable {
    /// In characters. At the rate of `FailureLimiter`, the shortest cannot be guessed.
    public static let lengths = 16...512

    private let bytes: [UInt8]

    /// Nil for other lengths and for characters other than letters, digits, `-`, `.`, `_`, `~`, `+`, `/` and `=`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy({ PercentEncoding.isUnreserved($0) || "+/=".utf8.contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// 256 bits from the system's random generator.
    public static func random() -> AccessToken {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        return AccessToken(bytes: (0..<43).map { _ in alphabet[Int(generator.next() & 63)] })
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The duration does not reveal the position of the first difference.
    func matches(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var difference = candidate.count ^ bytes.count
        for index in bytes.indices { difference |= Int(bytes[index] ^ (index < candidate.count ? candidate[index] : 0)) }
        return difference == 0
    }
}
