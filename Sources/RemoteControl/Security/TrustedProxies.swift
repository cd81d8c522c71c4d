import Platform

/// The proxies from which the server accepts the address of a client (`X-Forwarded-For`).
public struct TrustedProxies: Sendable, Hashable {
    private let ranges: [AddressRange]
    /// The maximum number of addresses in `X-Forwarded-For` that are examined.
    static let maximumHops = 16

    public init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

    /// Whether no proxy is trusted.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Returns the client for which a trusted proxy forwards a request; nil if the peer is not a trusted proxy, or names no client.
    ///
    /// Each proxy appends the address of its own client to `X-Forwarded-For`. Read from the right, an address is reliable if a trusted proxy has
    /// appended it. So the client is the rightmost address that is not a trusted proxy; everything to the left of it may be forged. If there is no
    /// such address among the last `maximumHops` ones, or if a malformed entry is read before it, the client is the trusted proxy that was read last.
    /// The field `Forwarded` is not used: a proxy that does not write it passes on the client's own one, which may be forged.
    ///
    /// - Parameter fields: The values of `X-Forwarded-For`, in the order of the request.
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

    /// Whether a numeric address is the address of a trusted proxy.
    public func isTrusted(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the address in an entry of `X-Forwarded-For`, without the port that some proxies add; nil if the entry contains no address.
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
