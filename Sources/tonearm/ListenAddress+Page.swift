import MicroHTTP

extension ListenAddress {
    /// The default network address of the server: port 7711 on loopback.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the default address must be valid") }
        return address
    }()

    /// Returns the address of the web page (the remote control) for a browser on this machine. If clients need a token, the page's address contains
    /// it in the fragment, which browsers do not send.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    /// Returns the addresses of the web page for other devices of the network, one address for each of `interfaces` that these devices can reach.
    /// Returns an empty array if the server listens on a single address, because `page` then contains that address.
    func pages(on interfaces: [InterfaceAddress], token: String?) -> [String] {
        guard isUnspecified else { return [] }
        // A server that listens on all IPv6 addresses also listens on all IPv4 addresses.
        return InterfaceAddress.reachable(among: interfaces, withIPv6: host.contains(":")).map { address in
            "http://\(address.isIPv6 ? "[\(address.host)]" : address.host):\(port)/" + (token.map { "#token=" + $0 } ?? "")
        }
    }

    /// The address of the web page for a browser on this machine, without a token.
    var page: String { "http://\(forThisMachine)/" }

    /// The address and port at which programs on this machine reach the server.
    var forThisMachine: String { isUnspecified ? "\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)" : description }
}
