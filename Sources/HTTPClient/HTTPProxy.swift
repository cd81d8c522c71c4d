import Platform
import PlaybackEngine

/// A proxy, which the operator has named: for HTTP, also over TLS, or a SOCKS proxy, which looks up the names of servers itself.
struct HTTPProxy: Equatable {
    /// The URL of the proxy, without a user.
    let url: String
    /// The name or the network address of the proxy, without brackets.
    let host: String
    let port: UInt16
    /// The user and the password for the proxy; nil if its URL has none.
    let user: String?, password: String?

    /// The schemes that a proxy's URL may have, each with the scheme that libcurl receives instead.
    private static let schemes = [
        "http": "http", "https": "https", "socks": "socks4a", "socks4": "socks4a", "socks4a": "socks4a", "socks5": "socks5h", "socks5h": "socks5h",
    ]

    /// Parses the URL of a proxy. The scheme `http://` may be missing. Without a port, the port is 1080 as with curl, or 443 for `https`.
    ///
    /// - Parameter variable: The name of the environment variable that contains the URL, for the error. The error does not contain the URL, which may
    ///   contain a password.
    init(_ text: String, variable: String) throws(PlaybackError) {
        let scheme = text.utf8.firstIndex(of: 0x3A).flatMap { text.utf8[$0...].starts(with: "://".utf8) ? text[..<$0].lowercased() : nil }
        let rest = scheme.map { String(decoding: text.utf8.dropFirst($0.utf8.count + 3), as: UTF8.self) } ?? text
        guard let known = HTTPProxy.schemes[scheme ?? "http"] else {
            throw HTTPProxy.invalid(variable, "names a proxy of a kind that is not supported; HTTP (http://host:port) and SOCKS proxies are")
        }
        let parts: RemoteURL
        do throws(PlaybackError) { parts = try RemoteURL("http://\(rest)") } catch {
            throw HTTPProxy.invalid(variable, "is not the URL of a proxy (http://host:port)")
        }
        host = parts.host
        port = parts.statesPort ? parts.port : known == "https" ? 443 : 1080
        url = "\(known)://\(host.utf8.contains(0x3A) ? "[\(host)]" : host):\(port)"
        let credentials = parts.credentials?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        func decoded(_ part: Substring) -> String { String(decoding: PercentEncoding.lenientlyDecodedBytes(String(part)), as: UTF8.self) }
        user = credentials?.first.map(decoded)
        password = credentials.map { $0.count > 1 ? decoded($0[1]) : "" }
    }

    /// The host and the port of the proxy, for errors.
    var name: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    static func invalid(_ variable: String, _ defect: String) -> PlaybackError {
        PlaybackError(.network, "The environment variable \(variable) \(defect).", reason: .cannotConnect)
    }

    /// Returns the error of a proxy that has not connected to the server of `url`.
    func refusal(_ url: RemoteURL, status: Int) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "HTTP", code: status, message: "status \(status)")
        if status == 407 { return authenticationRequired(underlying) }
        let code: PlaybackError.Code = status == 403 ? .permissionDenied : .network
        let reason: PlaybackError.Reason = [429, 503].contains(status) ? .unavailable : status == 504 ? .noAnswer : .cannotConnect
        return PlaybackError(
            code, "The proxy \(name) does not connect to \(url.hostAndPort) (status \(status)).", reason: reason, underlying: underlying)
    }

    /// Returns the error of a proxy that requires a user and a password.
    func authenticationRequired(_ underlying: PlaybackError.Underlying) -> PlaybackError {
        PlaybackError(
            .permissionDenied,
            "The proxy \(name) requires a user and a password: write them in the environment variable (http://user:password@host:port).",
            reason: .authenticationRequired, underlying: underlying)
    }

    /// Converts an error of an attempt to reach the proxy, so that it names the proxy instead of the server.
    func unreachable(_ error: PlaybackError) -> PlaybackError {
        guard error.code != .cancelled, error.code != .busy else { return error }
        let defect =
            switch error.reason {
            case .hostNotFound?: "was not found"
            case .noAnswer?: "did not respond in time"
            default: "could not be reached"
            }
        return PlaybackError(error.code, "The proxy \(name) \(defect).", reason: error.reason, underlying: error.underlying)
    }
}

extension RemoteURL {
    /// The host and the port of the URL, also if the port is the usual one.
    var hostAndPort: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
