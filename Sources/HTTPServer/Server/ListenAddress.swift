import Platform

/// A numeric address and a port, such as `127.0.0.1:7711` or `[::1]:7711`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Numeric, without brackets.
    public let host: String
    /// 0 asks the system for a free one.
    public let port: UInt16
    /// Clients of this machine only.
    public let isLoopback: Bool
    /// Every network interface (`0.0.0.0`, `::`).
    public let isUnspecified: Bool

    /// `ADDRESS:PORT`, with brackets around IPv6. `localhost` means 127.0.0.1. Throws `ServerError.malformedAddress`.
    public init(_ text: String) throws(ServerError) {
        guard let colon = text.lastIndex(of: ":") else { throw .malformedAddress(text) }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits) else { throw .malformedAddress(text) }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { throw .malformedAddress(text) }
        } else if host.contains(":") {
            throw .malformedAddress(text)
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard let address = SocketAddress(numericHost: host, port: port) else {
            throw .malformedAddress(text)
        }
        self.init(address)
    }

    init(_ address: SocketAddress) {
        host = address.numericHost
        port = address.port
        isLoopback = address.key.isLoopback
        isUnspecified = address.key.isUnspecified
    }

    /// `host:port`, with brackets around IPv6.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
