import MicroHTTP
import RemoteControl

/// The log lines of a started server: the addresses of the page, and the token or its file's path.
struct Announcement {
    var address: ListenAddress
    var interfaces: [InterfaceAddress]
    var token: AccessToken?
    /// Nil if clients need no token.
    var tokenFile: String?
    /// Other users may read a stored log (`Log.isKept`), so it gets the path of the token's file, and no token.
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
