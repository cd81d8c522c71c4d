import Glibc
import Platform

/// One address, or a network such as `10.0.0.0/8` or `fd00::/8` (RFC 4632, RFC 4291).
public struct AddressRange: Sendable, Hashable {
    /// The lowest address, as IPv6; IPv4 is mapped (RFC 4291, section 2.5.5.2).
    private let bytes: [UInt8]
    /// Leading bits in common, of 128.
    private let bits: Int

    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard let bytes = Self.bytes(parts[0]) else { return nil }
        let isMapped = !parts[0].utf8.contains(UInt8(ascii: ":"))
        var bits = 128
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isASCIIDigit), let number = Int(parts[1]),
                number <= (isMapped ? 32 : 128)
            else { return nil }
            bits = number + (isMapped ? 96 : 0)
        }
        self.bytes = bytes
        self.bits = bits
    }

    /// `address` is numeric.
    public func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address) else { return false }
        return (0..<bits).allSatisfy { index in
            let mask: UInt8 = 0x80 >> UInt8(index % 8)
            return bytes[index / 8] & mask == other[index / 8] & mask
        }
    }

    /// 16 bytes of a numeric address without a zone.
    static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 128 else { return nil }
        let text = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "%") }))
        var short = in_addr()
        if inet_pton(AF_INET, text, &short) == 1 {
            let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
            return mapped + withUnsafeBytes(of: &short) { Array($0) }
        }
        var long = in6_addr()
        guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
        return withUnsafeBytes(of: &long) { Array($0) }
    }
}
