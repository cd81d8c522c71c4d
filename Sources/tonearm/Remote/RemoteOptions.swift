/// The options of the command `remote`.
struct RemoteOptions: Sendable, Hashable {
    var operation = RemoteOperation.status
    /// The address of the daemon on the command line; nil means the daemon that is found on this machine.
    var address: RemoteAddress?
    /// Whether the daemon's JSON documents are printed, instead of text.
    var isJSON = false
    /// Whether changes of the player's state are printed until the program is stopped.
    var follows = false
    /// Whether the command `add` adds media after the current entry, not at the end of the queue.
    var addsNext = false
}

extension Setting {
    /// The settings of the command `remote` that can also be given by their environment variables.
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

    /// The settings of the command `remote`.
    static let remote: [Setting] =
        connection + [
            Setting("json", help: "print the server's JSON document") { options, _ in options.remote.isJSON = true },
            Setting("follow", letter: "-f", help: "then print changes: on a terminal one live line, otherwise one line each") { options, _ in
                options.remote.follows = true
            },
            Setting("next", help: "with add: after the current entry") { options, _ in options.remote.addsNext = true },
        ]
}
