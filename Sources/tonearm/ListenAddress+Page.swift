import MicroHTTP

extension ListenAddress {
    /// Port 7711 of this machine, for this machine.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the standard address is well formed") }
        return address
    }()

    /// What a browser on this machine opens: the token, where there is one, is in the part of the address that is sent to nobody.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    /// What a browser on another device of the network opens, one for each of these addresses by which it can; none where this server listens on one
    /// address, which `page` names.
    func pages(on interfaces: [InterfaceAddress], token: String?) -> [String] {
        guard isUnspecified else { return [] }
        // Whoever listens on all addresses of IPv6 listens on those of IPv4 too.
        return InterfaceAddress.reachable(among: interfaces, withIPv6: host.contains(":")).map { address in
            "http://\(address.isIPv6 ? "[\(address.host)]" : address.host):\(port)/" + (token.map { "#token=" + $0 } ?? "")
        }
    }

    var page: String {
        guard isUnspecified else { return "http://\(self)/" }
        return "http://\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)/"
    }
}
