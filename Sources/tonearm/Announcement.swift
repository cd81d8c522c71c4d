import MicroHTTP
import RemoteControl

/// What the log says when the remote can be used: the addresses to open, and the token or where it is.
struct Announcement {
    var address: ListenAddress
    var interfaces: [InterfaceAddress]
    var token: AccessToken?
    /// The file that keeps the token.
    var tokenFile: String?
    /// Whether the log is kept (`Log.isKept`), so that others may read it: then the file is named, and the addresses do not have the token in them.
    var isLogKept: Bool

    func write(to log: Log) {
        let shown = isLogKept ? nil : token?.text
        log(.info, "the remote is ready", ["at": address.page(token: shown)])
        for page in address.pages(on: interfaces, token: shown) {
            log(.info, "a phone in the same network opens", ["at": page])
        }
        guard token != nil, shown == nil, let tokenFile else { return }
        log(.info, "the page asks for the token, which is in a file that its owner alone can read", ["file": tokenFile])
    }
}
