/// The daemon that a command of `tonearm remote` controls, and the file with the token for this daemon.
struct RemoteServer {
    let address: RemoteAddress
    /// The path of the file with the daemon's token; nil if no token is sent.
    let tokenFile: String?
    /// Whether a runtime file names the daemon, which means that it runs on this machine.
    let isLocal: Bool

    /// Chooses the daemon: at the address that the options name; otherwise the running daemon that started last; otherwise the daemon at the standard
    /// address.
    ///
    /// The token of a running daemon is sent only to this daemon's address. Any other address receives a token only if an option names the file with
    /// the token.
    /// - Parameter records: The daemons that run on this machine, the daemon that started last first.
    init(_ options: RemoteOptions, tokenFile: String?, records: [RuntimeRecord]) {
        let known = Self.known(records)
        if let given = options.address {
            let record = known.first { $0.address == given }
            self.init(address: given, tokenFile: tokenFile ?? record?.tokenFile, isLocal: record != nil)
        } else if let newest = known.first {
            self.init(address: newest.address, tokenFile: tokenFile ?? newest.tokenFile, isLocal: true)
        } else {
            self.init(address: .standard, tokenFile: tokenFile, isLocal: false)
        }
    }

    private init(address: RemoteAddress, tokenFile: String?, isLocal: Bool) {
        self.address = address
        self.tokenFile = tokenFile
        self.isLocal = isLocal
    }

    /// Chooses the daemon for a connection that replaces a lost one. If the daemon was found by its runtime file, it is chosen again if it still runs
    /// at the same address; otherwise, without an address in the options, the running daemon that started last is chosen. Nil while no such daemon
    /// runs: another program may have taken the port, and must not receive the token. A daemon that no runtime file names is always chosen again.
    /// - Parameter records: The daemons that run on this machine, the daemon that started last first.
    func again(_ options: RemoteOptions, tokenFile: String?, records: [RuntimeRecord]) -> RemoteServer? {
        guard isLocal else { return self }
        let known = Self.known(records)
        let found = known.first { $0.address == address } ?? (options.address == nil ? known.first : nil)
        return found.map { RemoteServer(address: $0.address, tokenFile: tokenFile ?? $0.tokenFile, isLocal: true) }
    }

    private static func known(_ records: [RuntimeRecord]) -> [(address: RemoteAddress, tokenFile: String?)] {
        records.compactMap { record in RemoteAddress(record.address).map { ($0, record.tokenFile) } }
    }
}

extension RemoteAddress {
    /// The address of a daemon if no other address was chosen.
    static let standard: RemoteAddress = {
        guard let address = RemoteAddress("127.0.0.1") else { preconditionFailure("the standard address must be valid") }
        return address
    }()
}
