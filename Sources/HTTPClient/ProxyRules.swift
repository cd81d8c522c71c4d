import Glibc
import Platform
import PlaybackEngine

/// The proxies that the environment names, by the conventions of curl: `http_proxy`, `https_proxy`, `all_proxy`, and the servers that are reached
/// without a proxy (`no_proxy`). The names may also be in upper case, except `HTTP_PROXY`: in a CGI program a client sets that variable.
struct ProxyRules: Sendable {
    private typealias Variable = (name: String, value: String)
    private let plain: Variable?
    private let secure: Variable?
    /// The value of `no_proxy`; nil if it is longer than the limit.
    private let exceptions: [UInt8]?

    /// The longest value of `no_proxy`, in bytes.
    static let exceptionLimit = 64 << 10

    /// The proxies of this process.
    static let system = ProxyRules { name in getenv(name).map { String(cString: $0) } }
    /// No proxies.
    static let none = ProxyRules { _ in nil }

    /// - Parameter environment: The function that returns the value of an environment variable; nil if it is not set.
    init(_ environment: (String) -> String?) {
        func first(_ names: [String]) -> Variable? {
            for name in names { if let value = environment(name), !value.isEmpty { return (name, value) } }
            return nil
        }
        let all = first(["all_proxy", "ALL_PROXY"])
        plain = first(["http_proxy"]) ?? all
        secure = first(["https_proxy", "HTTPS_PROXY"]) ?? all
        let list = first(["no_proxy", "NO_PROXY"])?.value ?? ""
        exceptions = list.utf8.count <= ProxyRules.exceptionLimit ? Array(list.utf8) : nil
    }

    /// Returns the proxy for requests to `url`; nil if its server is reached without a proxy. A loopback address is always reached without a proxy,
    /// because for the proxy it is another machine.
    ///
    /// Throws an error if an environment variable with a proxy is invalid, because a request must not be sent without the proxy that the operator
    /// requires.
    func proxy(for url: RemoteURL) throws(PlaybackError) -> HTTPProxy? {
        guard let (name, value) = url.isSecure ? secure : plain else { return nil }
        let literal = NetworkAddress(literal: url.host)
        if literal?.isThisMachine ?? HostName(url.host).isThisMachine { return nil }
        guard let exceptions else { throw HTTPProxy.invalid("no_proxy", "is longer than \(ProxyRules.exceptionLimit) bytes") }
        let isExcepted = exceptions.split { $0 == 0x2C || $0.isBlank }.contains { entry in
            ProxyException(entry)?.matches(url, literal) ?? false
        }
        return isExcepted ? nil : try HTTPProxy(value, variable: name)
    }
}

/// An entry of `no_proxy`: a server that is reached without a proxy, or several servers.
private struct ProxyException {
    private enum Servers {
        case all
        /// The name itself and its subdomains.
        case name([UInt8])
        /// The addresses that begin with the same `length` bits.
        case network(NetworkAddress, length: Int)
    }
    private let servers: Servers
    private let port: UInt16?

    /// Parses an entry: `*`, a name with or without a leading dot or `*.`, an address, or a network such as `10.0.0.0/8`; a name and an address may
    /// have a port. Returns nil if the entry is invalid.
    init?(_ entry: ArraySlice<UInt8>) {
        if entry.elementsEqual([0x2A]) {
            (servers, port) = (.all, nil)
            return
        }
        var host = entry, number: UInt16?
        if entry.first == 0x5B {
            guard let close = entry.firstIndex(of: 0x5D) else { return nil }
            host = entry[(entry.startIndex + 1)..<close]
            let rest = entry[(close + 1)...]
            number = rest.first == 0x3A ? UInt16(String(decoding: rest.dropFirst(), as: UTF8.self)) : nil
            if !rest.isEmpty, number == nil { return nil }
        } else if let colon = entry.firstIndex(of: 0x3A), colon == entry.lastIndex(of: 0x3A) {
            host = entry[..<colon]
            number = UInt16(String(decoding: entry[(colon + 1)...], as: UTF8.self))
            if number == nil { return nil }
        }
        port = number
        guard host.count <= 255 else { return nil }
        let parts = host.split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
        if let address = parts.first.flatMap({ NetworkAddress(literal: String(decoding: $0, as: UTF8.self)) }) {
            let bits = address.bytes.count * 8
            guard let length = parts.count == 1 ? bits : Int(String(decoding: parts[1], as: UTF8.self)), (0...bits).contains(length) else {
                return nil
            }
            servers = .network(address, length: length)
            return
        }
        if host.starts(with: [0x2A, 0x2E]) { host = host.dropFirst() }
        let name = HostName(host.drop { $0 == 0x2E }).bytes
        guard !name.isEmpty, !name.contains(0x2F) else { return nil }
        servers = .name(name)
    }

    /// Returns whether the server of `url` is reached without a proxy. `literal` is the address in the URL; nil if the URL has a name instead. A name
    /// is not looked up, so it is never compared with addresses.
    func matches(_ url: RemoteURL, _ literal: NetworkAddress?) -> Bool {
        if let port, port != url.port { return false }
        switch servers {
        case .all: return true
        case .name(let name): return literal == nil && HostName(url.host).isIn(name)
        case .network(let network, let length): return literal?.sharesPrefix(with: network, length: length) ?? false
        }
    }
}

/// The name of a server, in lower case and without a dot at its end.
struct HostName {
    let bytes: [UInt8]

    init(_ text: String) { self.init(Array(text.utf8)[...]) }
    init(_ text: ArraySlice<UInt8>) { bytes = (text.last == 0x2E ? text.dropLast() : text).map(\.asciiLowercased) }

    /// Whether the name is `domain` or one of its subdomains.
    func isIn(_ domain: some BidirectionalCollection<UInt8>) -> Bool {
        bytes.count == domain.count
            ? bytes.elementsEqual(domain) : bytes.count > domain.count && bytes.suffix(domain.count + 1).elementsEqual([0x2E] + Array(domain))
    }

    /// Whether the name means this machine (RFC 6761, section 6.3).
    var isThisMachine: Bool { isIn("localhost".utf8) }

    /// Whether the name can be one of the public internet: it has a dot, its last part does not begin with a digit, and it is not in a domain for
    /// local networks (RFC 6761, RFC 6762, RFC 8375, and ICANN's `internal`).
    var isPublic: Bool {
        guard let dot = bytes.lastIndex(of: 0x2E), let first = bytes[(dot + 1)...].first, !first.isASCIIDigit else { return false }
        return !["localhost", "local", "internal", "home.arpa"].contains { isIn($0.utf8) }
    }
}
