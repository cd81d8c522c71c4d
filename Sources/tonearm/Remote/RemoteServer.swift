/// The daemon that `tonearm remote` controls, and its token's file.
struct RemoteServer {
    let address: RemoteAddress
    /// Nil if no token is sent.
    let tokenFile: String?
    /// A runtime file names it, so it runs on this machine.
    let isLocal: Bool

    /// At the address in the options, or else the newest running daemon, or else the standard address. The token of a running daemon is sent only to
    /// its address; another one gets a token only if an option names the file.
    /// - Parameter records: The newest first.
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

    /// After a lost connection: a daemon of a runtime file is chosen again if it still runs at the same address, otherwise the newest, unless the
    /// options have an address. Nil while there is none: another program may have taken the port, and must not get the token.
    /// - Parameter records: The newest first.
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
    static let standard: RemoteAddress = {
        guard let address = RemoteAddress("127.0.0.1") else { preconditionFailure("the standard address must be valid") }
        return address
    }()
}
