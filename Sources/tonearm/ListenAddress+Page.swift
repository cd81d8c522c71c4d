import HTTPServer

extension ListenAddress {
    /// Port 7711 on loopback.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the default address must be valid") }
        return address
    }()

    /// For a browser on this machine. The token is in the fragment, which browsers do not send.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    /// For other devices, one for each of `interfaces` that they can reach; empty if the server listens on a single address (`page`).
    func pages(on interfaces: [InterfaceAddress], token: String?) -> [String] {
        guard isUnspecified else { return [] }
        // All IPv6 addresses include all IPv4 ones.
        return InterfaceAddress.reachable(among: interfaces, withIPv6: host.contains(":")).map { address in
            "http://\(address.isIPv6 ? "[\(address.host)]" : address.host):\(port)/" + (token.map { "#token=" + $0 } ?? "")
        }
    }

    /// For a browser on this machine, without a token.
    var page: String { "http://\(forThisMachine)/" }

    /// For programs on this machine.
    var forThisMachine: String { isUnspecified ? "\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)" : description }
}
