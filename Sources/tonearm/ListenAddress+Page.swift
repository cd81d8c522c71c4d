import MicroHTTP

extension ListenAddress {
    /// Port 7711 of this machine, for this machine.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the standard address is well formed") }
        return address
    }()

    /// What a browser on this machine opens: the token, where there is one, is in the part of the address that is sent to nobody.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    var page: String {
        guard isUnspecified else { return "http://\(self)/" }
        return "http://\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)/"
    }
}
