/// The secret that lets a client of another machine in: 16 to 512 characters that need no quoting in a header field, a cookie or a URL's fragment
/// (RFC 6750, section 2.1).
public struct AccessToken: Sendable {
    /// How long a token may be, and how short: no token that can be guessed in the time between two failures.
    public static let lengths = 16...512

    private let bytes: [UInt8]

    /// nil where the text is too short, too long, or has another character than letters, digits, `-`, `.`, `_`, `~`, `+`, `/` and `=`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy({ PercentEncoding.isUnreserved($0) || "+/=".utf8.contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// A new one, of 256 bits from the system's generator.
    public static func random() -> AccessToken {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        return AccessToken(bytes: (0..<43).map { _ in alphabet[Int(generator.next() & 63)] })
    }

    /// The secret itself.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether these are its bytes. Takes the same time wherever they differ, so that no answer's time tells how much of a guess was right.
    func matches(_ candidate: UnsafeRawBufferPointer) -> Bool {
        var difference = candidate.count ^ bytes.count
        for index in bytes.indices { difference |= Int(bytes[index] ^ (index < candidate.count ? candidate[index] : 0)) }
        return difference == 0
    }
}
