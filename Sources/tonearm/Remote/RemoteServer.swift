/// The daemon that a command of `tonearm remote` drives, and the token for it.
struct RemoteServer {
    let address: RemoteAddress
    /// The path of the file with the token; nil if no token is sent.
    let tokenFile: String?

    /// Chooses the daemon: the one at the given address, otherwise the one that started last, otherwise the standard address.
    ///
    /// The token of a running daemon is sent to the address of that daemon only. Another server receives a token only if an option names its file.
    /// - Parameter records: The daemons that run on this machine, the newest first.
    init(_ options: RemoteOptions, tokenFile: String?, records: [RuntimeRecord]) {
        let known = records.compactMap { record in RemoteAddress(record.address).map { (address: $0, tokenFile: record.tokenFile) } }
        if let given = options.address {
            address = given
            self.tokenFile = tokenFile ?? known.first { $0.address == given }?.tokenFile
        } else if let newest = known.first {
            address = newest.address
            self.tokenFile = tokenFile ?? newest.tokenFile
        } else {
            address = .standard
            self.tokenFile = tokenFile
        }
    }
}

extension RemoteAddress {
    /// The address of a daemon for which no other was chosen.
    static let standard: RemoteAddress = {
        guard let address = RemoteAddress("127.0.0.1") else { preconditionFailure("the standard address must be valid") }
        return address
    }()
}
