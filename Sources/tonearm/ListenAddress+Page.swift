import MicroHTTP

extension ListenAddress {
    /// The default address: port 7711 on loopback.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the default address must be valid") }
        return address
    }()

    /// Returns the page's address for a browser on this machine. The token, if any, is in the fragment, which browsers do not send.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    /// Returns the page's addresses for other devices of the network, one for each of `interfaces` that they can reach. Empty if the server listens
    /// on a single address, because `page` has that address.
    func pages(on interfaces: [InterfaceAddress], token: String?) -> [String] {
        guard isUnspecified else { return [] }
        // A server that listens on all IPv6 addresses also listens on all IPv4 addresses.
        return InterfaceAddress.reachable(among: interfaces, withIPv6: host.contains(":")).map { address in
            "http://\(address.isIPv6 ? "[\(address.host)]" : address.host):\(port)/" + (token.map { "#token=" + $0 } ?? "")
        }
    }

    /// The page's address for a browser on this machine, without a token.
    var page: String {
        guard isUnspecified else { return "http://\(self)/" }
        return "http://\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)/"
    }
}
