import Glibc
import Platform

/// The proxies from which the server accepts the address of a client (`X-Forwarded-For`).
public struct TrustedProxies: Sendable, Hashable {
    private let ranges: [AddressRange]
    /// The greatest number of addresses in `X-Forwarded-For` that are examined.
    static let maximumHops = 16

    public init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    public var isEmpty: Bool { ranges.isEmpty }

    /// The client for which a trusted proxy forwards a request; nil if the peer is not one, or names no client.
    ///
    /// Each proxy appends its client to `X-Forwarded-For`, so an address is reliable if a trusted proxy has appended it: the client is the rightmost
    /// address that is not a trusted proxy, and all to its left may be forged. If none of the last `maximumHops` is such an address, or before a
    /// malformed entry, the client is the trusted proxy that was read last. `Forwarded` is not used: a proxy may forward a forged one.
    func client(of peer: HTTPPeer, _ fields: [String]) -> HTTPPeer? {
        guard isTrusted(peer.address) else { return nil }
        var client: String?
        var hops = 0
        for field in fields.reversed() {
            for entry in field.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed() {
                hops += 1
                guard hops <= Self.maximumHops, entry.count <= 64, let address = Self.address(String(Substring(entry))) else {
                    return client.map { HTTPPeer(address: $0, isLoopback: false) }
                }
                client = address
                guard isTrusted(address) else { return HTTPPeer(address: address, isLoopback: false) }
            }
        }
        return client.map { HTTPPeer(address: $0, isLoopback: false) }
    }

    public func isTrusted(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }

    /// The address of an entry, without the port that some proxies add.
    private static func address(_ entry: String) -> String? {
        var bytes = Array(entry.utf8.withoutOuterBlanks)
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            bytes = Array(bytes[1..<end])
        } else if bytes.count(where: { $0 == UInt8(ascii: ":") }) == 1, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            bytes = Array(bytes[..<colon])
        }
        let address = String(decoding: bytes, as: UTF8.self)
        return !bytes.contains(UInt8(ascii: "%")) && AddressRange.bytes(address) != nil ? address : nil
    }
}

/// One address, or a network such as `10.0.0.0/8` or `fd00::/8` (RFC 4632, RFC 4291).
public struct AddressRange: Sendable, Hashable {
    /// The lowest address, as IPv6; IPv4 is mapped (RFC 4291, section 2.5.5.2).
    private let bytes: [UInt8]
    /// The number of leading bits that the addresses have in common, of 128.
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

    /// Whether a numeric address is in the range.
    public func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address) else { return false }
        return (0..<bits).allSatisfy { index in
            let mask: UInt8 = 0x80 >> UInt8(index % 8)
            return bytes[index / 8] & mask == other[index / 8] & mask
        }
    }

    /// The 16 bytes of a numeric address, without its zone.
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
