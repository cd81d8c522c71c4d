struct RemoteOptions: Sendable, Hashable {
    var operation = RemoteOperation.status
    /// Nil for the daemon that is found on this machine.
    var address: RemoteAddress?
    var isJSON = false
    /// Until the program is stopped.
    var follows = false
    /// After the current entry, not at the end.
    var addsNext = false
}

extension Setting {
    /// Those with environment variables.
    static let connection: [Setting] = [
        Setting("address", "ADDRESS", help: "address of the daemon, such as 192.168.1.5:7711 (default: found on this machine)") {
            options, value throws(Invalid) in
            guard let address = RemoteAddress(value) else {
                throw Invalid(reason: "must be a host and a port, such as 127.0.0.1:7711, or http://HOST[:PORT][/PATH]")
            }
            options.remote.address = address
        },
        Setting("token-file", "FILE", completion: .files, help: "file with the token of the daemon (default: found on this machine)") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a file") }
            options.tokenFile = value
        },
    ]

    static let remote: [Setting] =
        connection + [
            Setting("json", help: "print the server's JSON document") { options, _ in options.remote.isJSON = true },
            Setting("follow", letter: "-f", help: "then print changes: on a terminal one live line, otherwise one line each") { options, _ in
                options.remote.follows = true
            },
            Setting("next", help: "with add: after the current entry") { options, _ in options.remote.addsNext = true },
        ]
}
