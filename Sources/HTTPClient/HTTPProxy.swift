import Platform
import PlaybackEngine

/// A proxy for HTTP (RFC 9110, section 3.7), which the operator has named.
struct HTTPProxy: Equatable {
    /// The name or the network address of the proxy.
    let host: String
    let port: UInt16
    /// The value of the header field `Proxy-Authorization`; nil if the proxy's URL has no user. It is written only into requests.
    let authorization: String?

    /// The port of a proxy whose URL has none, as curl assumes it.
    private static let usualPort: UInt16 = 1080

    /// Parses the URL of a proxy. The scheme `http://` may be missing.
    ///
    /// - Parameter variable: The name of the environment variable that contains the URL, for the error. The error does not contain the URL, which may
    ///   contain a password.
    init(_ text: String, variable: String) throws(PlaybackError) {
        let colon = text.utf8.firstIndex(of: 0x3A), hasScheme = colon.map { text.utf8[$0...].starts(with: "://".utf8) } ?? false
        if hasScheme, let colon, text.utf8[..<colon].prefix(5).map(\.asciiLowercased).elementsEqual("socks".utf8) {
            throw HTTPProxy.invalid(variable, "names a SOCKS proxy, which is not supported; only an HTTP proxy (http://host:port) is")
        }
        let url: RemoteURL
        do throws(PlaybackError) { url = try RemoteURL(hasScheme ? text : "http://\(text)") } catch {
            throw HTTPProxy.invalid(variable, "is not the URL of an HTTP proxy (http://host:port)")
        }
        guard !url.isSecure else {
            throw HTTPProxy.invalid(variable, "names a proxy with https, which is not supported; only an HTTP proxy (http://host:port) is")
        }
        host = url.host
        let authority = text.utf8.dropFirst(hasScheme ? 7 : 0).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        port = url.port == 80 && !authority.suffix(3).elementsEqual(":80".utf8) ? HTTPProxy.usualPort : url.port
        authorization = url.credentials.map { credentials in
            let bytes = PercentEncoding.lenientlyDecodedBytes(credentials)
            return "Basic " + Base64.encode(bytes.contains(0x3A) ? bytes : bytes + [0x3A])
        }
    }

    /// The host and the port of the proxy, for errors.
    var name: String { host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    static func invalid(_ variable: String, _ defect: String) -> PlaybackError {
        PlaybackError(.network, "The environment variable \(variable) \(defect).", reason: .cannotConnect)
    }

    // MARK: The tunnel to a secure server

    /// Returns the request for a connection through the proxy to the server of `url` (RFC 9110, section 9.3.6).
    func tunnelRequest(to url: RemoteURL) -> [UInt8] {
        var lines = ["CONNECT \(url.hostAndPort) HTTP/1.1", "Host: \(url.hostAndPort)", "User-Agent: Tonearm"]
        if let authorization { lines.append("Proxy-Authorization: \(authorization)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
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
