import Glibc

/// A request as the server read it, before any check. Every byte of it is hostile.
public struct HTTPRequest: Sendable {
    public var method: String
    /// The path of the request target, percent-encoding as it came (`/api/v1/items/a%20b`).
    public var path: String
    /// The query without `?`, as it came; nil where there was none.
    public var query: String?
    /// Header fields in order, names as they came; values are ISO 8859-1, that of `Tonearm-Client` UTF-8.
    public var headers: [(name: String, value: String)]
    /// The whole body; the server has already enforced the limit.
    public var body: [UInt8]
    public var peer: HTTPPeer
    /// Whether the client speaks HTTP/1.0, which knows no change of protocol.
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

    /// The first value of a field, by name in any case.
    public func header(_ name: String) -> String? {
        headers.first { Self.isSame($0.name, name) }?.value
    }
    /// All values of a field.
    public func headerValues(_ name: String) -> [String] {
        headers.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

/// Who is at the other end.
public struct HTTPPeer: Sendable, Hashable {
    /// The numeric address, for logs.
    public var address: String
    /// Whether it is a client of this machine. Behind a proxy on this machine it is not, wherever the connection comes from (`RemoteAPI`).
    public var isLoopback: Bool
    /// Whether the program itself asks, for who started it.
    public var isProgram = false
    public init(address: String, isLoopback: Bool) { self.address = address; self.isLoopback = isLoopback }
    public static let loopback = HTTPPeer(address: "127.0.0.1", isLoopback: true)
    /// What the command line asks for.
    public static let program: HTTPPeer = {
        var peer = loopback
        peer.isProgram = true
        return peer
    }()

    /// What counts as one client where clients have shares: an IPv4 address, or the /64 network of an IPv6 address, within which one machine can have any
    /// number of addresses.
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
