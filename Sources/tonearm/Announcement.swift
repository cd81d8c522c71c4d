import MicroHTTP
import RemoteControl

/// Writes the log lines of a started server: the addresses of the page, and the token or the path of the token's file.
struct Announcement {
    var address: ListenAddress
    var interfaces: [InterfaceAddress]
    var token: AccessToken?
    /// The path of the file that contains the clients' token; nil if clients need no token.
    var tokenFile: String?
    /// Whether the program's log is stored (`Log.isKept`), so that other users may read it. If the log is stored, it contains the path of the token's
    /// file instead of the token, and the addresses in it contain no token.
    var isLogKept: Bool

    func write(to log: Log) {
        let shown = isLogKept ? nil : token?.text
        log(.info, "the remote is ready", ["at": address.page(token: shown)])
        for page in address.pages(on: interfaces, token: shown) {
            log(.info, "the address for a phone in the same network", ["at": page])
        }
        guard token != nil, shown == nil, let tokenFile else { return }
        log(.info, "the page requires the token, which is in a file that only its owner can read", ["file": tokenFile])
    }
}
