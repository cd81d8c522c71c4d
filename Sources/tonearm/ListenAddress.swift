import Glibc

/// A numeric address and a port to listen on. `localhost` stands for 127.0.0.1.
struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Numeric, without brackets.
    let host: String
    let port: UInt16
    let isIPv6: Bool
    /// Only this machine can reach it.
    let isLoopback: Bool
    /// Every address of this machine.
    let isWildcard: Bool

    static let standard = ListenAddress(host: "127.0.0.1", port: 7711, isIPv6: false, isLoopback: true, isWildcard: false)

    /// `127.0.0.1:7711`, `[::1]:7711`, `localhost:7711`. Nil for anything else: names are not resolved, and both parts must be there.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
            let bytes = withUnsafeBytes(of: &address) { Array($0) }
            let mapsIPv4 = bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            self.init(
                host: host, port: port, isIPv6: true, isLoopback: bytes == Array(repeating: 0, count: 15) + [1] || (mapsIPv4 && bytes[12] == 127),
                isWildcard: bytes.allSatisfy { $0 == 0 })
        } else {
            if host == "localhost" { host = "127.0.0.1" }
            var address = in_addr()
            guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
            let bytes = withUnsafeBytes(of: &address) { Array($0) }
            self.init(host: host, port: port, isIPv6: false, isLoopback: bytes[0] == 127, isWildcard: bytes.allSatisfy { $0 == 0 })
        }
    }

    private init(host: String, port: UInt16, isIPv6: Bool, isLoopback: Bool, isWildcard: Bool) {
        self.host = host
        self.port = port
        self.isIPv6 = isIPv6
        self.isLoopback = isLoopback
        self.isWildcard = isWildcard
    }

    /// The address with the port that the system gave where 0 was asked for.
    func with(port: UInt16) -> ListenAddress {
        ListenAddress(host: host, port: port, isIPv6: isIPv6, isLoopback: isLoopback, isWildcard: isWildcard)
    }

    var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
    /// What a browser on this machine opens.
    var url: String { isWildcard ? "http://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)/" : "http://\(self)/" }
}
