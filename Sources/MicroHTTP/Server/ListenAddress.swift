import Platform

/// A numeric network address and a port to listen on, such as `127.0.0.1:7711` or `[::1]:7711`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The numeric network address of the host; an IPv6 address has no brackets.
    public let host: String
    /// The number of the port to listen on; 0 asks the system for a free port.
    public let port: UInt16
    /// Whether clients can reach the server's address only from this machine.
    public let isLoopback: Bool
    /// Whether the server's address stands for every network interface (`0.0.0.0`, `::`).
    public let isUnspecified: Bool

    /// Parses a server's address in a text of the form `ADDRESS:PORT`. In the text, an IPv6 address needs brackets. The address `localhost` means
    /// 127.0.0.1.
    /// - Throws: `ServerError.malformedAddress` if the text does not have the form `ADDRESS:PORT`.
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

    /// The server's address and port as `host:port`, with brackets around an IPv6 address.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
