import Glibc
import Platform

/// An HTTP request as received, before any check. Every byte of a request may come from an attacker.
public struct HTTPRequest: Sendable {
    public var method: String
    /// The path, with the client's percent-encoding (`/api/v1/items/a%20b`).
    public var path: String
    /// The query without `?`; nil if the target has none.
    public var query: String?
    /// The header fields in their order and spelling. Values are ISO 8859-1, but that of `Tonearm-Client` is UTF-8.
    public var headers: [(name: String, value: String)]
    /// The body, whose size the server has already limited.
    public var body: [UInt8]
    public var peer: HTTPPeer
    /// Whether the request is HTTP/1.0, which cannot switch protocols.
    public var isHTTP10: Bool

    public init(
        method: String, path: String, query: String? = nil, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        peer: HTTPPeer = .loopback, isHTTP10: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.isHTTP10 = isHTTP10
    }

    /// The first field called `name`, regardless of case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.equalsIgnoringCase(name.utf8) }?.value
    }
    /// All fields called `name`, regardless of case.
    public func headerValues(_ name: String) -> [String] {
        headers.filter { $0.name.utf8.equalsIgnoringCase(name.utf8) }.map(\.value)
    }
}

/// The client at the other end of a connection.
public struct HTTPPeer: Sendable, Hashable {
    public var address: String
    /// Whether the client is on this machine; false if a proxy here may have sent the request for a client of another one (`RequestGuard.sender`).
    public var isLoopback: Bool
    public init(address: String, isLoopback: Bool) { self.address = address; self.isLoopback = isLoopback }
    public static let loopback = HTTPPeer(address: "127.0.0.1", isLoopback: true)

    /// Identifies a client where work or memory is limited: its IPv4 address (not in IPv6 form), or the first 64 bits of its IPv6 address, because
    /// one machine can have any number of addresses with the same first 64 bits.
    public var network: String {
        guard address.utf8.contains(UInt8(ascii: ":")) else { return address }
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &bytes) == 1 else { return address }
        return withUnsafeBytes(of: &bytes) { bytes in
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return bytes[..<(isMapped ? 16 : 8)].map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}
