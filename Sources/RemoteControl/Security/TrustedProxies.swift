import Platform

/// The proxies from which the server accepts the address of a client (`X-Forwarded-For`).
public struct TrustedProxies: Sendable, Hashable {
    private let ranges: [AddressRange]
    /// Addresses in `X-Forwarded-For` that are examined.
    static let maximumHops = 16

    public init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    public var isEmpty: Bool { ranges.isEmpty }

    /// The client for which a trusted proxy forwards a request; nil if the peer is not one, or names no client.
    ///
    /// Each proxy appends its client to `X-Forwarded-For`, so an address is reliable if a trusted proxy has appended it: the client is the rightmost
    /// address that is not a trusted proxy, and all to its left may be forged. Without one among the last `maximumHops`, or before a malformed entry,
    /// it is the trusted proxy that was read last. `Forwarded` is not used: a proxy that does not write it passes on a forged one.
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

    /// Without the port that some proxies add.
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
