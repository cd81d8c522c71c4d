import Platform

/// The daemon that `tonearm remote` controls, and the file of its token.
struct RemoteServer {
    let address: RemoteAddress
    /// The path of the token's file; nil if no token is sent.
    let tokenFile: String?
    /// Whether a runtime file names the daemon, so that it runs on this machine.
    let isLocal: Bool
}

extension RemoteServer {
    /// Chooses the address in the options, or else the newest running daemon, or else the standard address. The token of a running daemon is sent
    /// only to its address; another server gets a token only if an option names the token's file.
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

    /// Chooses again after a lost connection: a daemon on this machine if it still runs at the same address, otherwise the newest daemon, unless the
    /// options state an address. Nil while there is none: another program may have taken the port, and must not get the token.
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

/// The host, the port, and the path below which a proxy serves the daemon.
struct RemoteAddress: Sendable, Hashable, CustomStringConvertible {
    static let standardPort: UInt16 = 7711

    /// The host without brackets.
    let host: String
    let port: UInt16
    /// The path without a slash at its end, such as `/tonearm`; empty without a proxy.
    let prefix: String

    /// Parses `HOST`, `HOST:PORT`, `[ADDRESS]:PORT` or `http://HOST[:PORT][/PATH]`; the default port is 80 after `http://`, otherwise `standardPort`.
    init?(_ text: String) {
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var rest = Array(text.utf8)[...]
        var port = Self.standardPort
        let scheme = Array("http://".utf8)
        if rest.prefix(scheme.count).elementsEqual(scheme, by: { $0.asciiLowercased == $1 }) {
            rest = rest.dropFirst(scheme.count)
            port = 80
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        var path = rest[authority.endIndex...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        guard port == 80 || path.isEmpty, !path.contains(where: { "?#".utf8.contains($0) }) else { return nil }
        guard let (host, digits) = Self.split(authority) else { return nil }
        if let digits {
            guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy(\.isASCIIDigit),
                let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
            else { return nil }
            port = number
        }
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
        prefix = String(decoding: path, as: UTF8.self)
    }

    /// Splits an authority into the host without brackets, and the text of the port, which the caller checks.
    private static func split(_ authority: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?)? {
        let colon = UInt8(ascii: ":")
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = authority[(authority.startIndex + 1)..<end]
            let rest = authority[(end + 1)...]
            guard host.contains(colon), host.allSatisfy({ $0.hexadecimalValue != nil || ":.%".utf8.contains($0) || $0.isASCIILetter }) else {
                return nil
            }
            if rest.isEmpty { return (host, nil) }
            return rest.first == colon ? (host, rest.dropFirst()) : nil
        }
        let host = authority.prefix { $0 != colon }
        guard !host.isEmpty, host.allSatisfy({ PercentEncoding.isUnreserved($0) }) else { return nil }
        let rest = authority[host.endIndex...]
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }

    /// The host and the port as in the field `Host`.
    var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
    var description: String { prefix.isEmpty ? authority : "http://\(authority)\(prefix)" }
}
