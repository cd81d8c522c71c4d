import Glibc
import HTTPServer

struct InterfaceAddress: Sendable, Hashable {
    /// The numeric address, without brackets, with a zone if there is one.
    var host: String
    /// Whether the interface is up, and has a carrier (a cable or network).
    var isUp: Bool
    var isLoopback: Bool
    var isIPv6: Bool { host.contains(":") }
    /// A link-local IPv6 address needs a zone, which a URL cannot contain. A link-local IPv4 address means that no other address was assigned.
    var isLinkLocal: Bool { isIPv6 ? host.lowercased().hasPrefix("fe80:") : host.hasPrefix("169.254.") }

    /// The addresses at which other devices can reach a server on all interfaces; without duplicates, IPv4 first.
    static func reachable(among all: [InterfaceAddress], withIPv6: Bool) -> [InterfaceAddress] {
        var seen: Set<String> = []
        let found = all.filter { $0.isUp && !$0.isLoopback && !$0.isLinkLocal && (withIPv6 || !$0.isIPv6) && seen.insert($0.host).inserted }
        return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
    }

    /// All addresses in the system's order.
    static func all() -> [InterfaceAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [InterfaceAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            if let address = InterfaceAddress(entry) { found.append(address) }
        }
        return found
    }

    /// Nil if the interface's address is neither IPv4 nor IPv6.
    private init?(_ entry: ifaddrs) {
        guard let address = entry.ifa_addr else { return nil }
        let size: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
        host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        func has(_ flag: Int) -> Bool { entry.ifa_flags & UInt32(flag) != 0 }
        isUp = has(IFF_UP) && has(IFF_RUNNING)
        isLoopback = has(IFF_LOOPBACK)
    }
}

extension InterfaceAddress {
    init(host: String, isUp: Bool = true, isLoopback: Bool = false) {
        self.host = host
        self.isUp = isUp
        self.isLoopback = isLoopback
    }
}

extension ListenAddress {
    /// The default address: port 7711 on loopback.
    static let standard: ListenAddress = {
        guard let address = try? ListenAddress("127.0.0.1:7711") else { preconditionFailure("the default address must be valid") }
        return address
    }()

    /// The URL of the page for a browser on this machine. The token is in the fragment, which browsers do not send.
    func page(token: String?) -> String { page + (token.map { "#token=" + $0 } ?? "") }

    /// The URLs of the page for other devices, one for each reachable interface; empty if the server listens on a single address (`page`).
    func pages(on interfaces: [InterfaceAddress], token: String?) -> [String] {
        guard isUnspecified else { return [] }
        // A server that listens on all IPv6 addresses (`::`) also accepts all IPv4 ones.
        return InterfaceAddress.reachable(among: interfaces, withIPv6: host.contains(":")).map { address in
            "http://\(address.isIPv6 ? "[\(address.host)]" : address.host):\(port)/" + (token.map { "#token=" + $0 } ?? "")
        }
    }

    /// The URL of the page for a browser on this machine, without a token.
    var page: String { "http://\(forThisMachine)/" }

    /// The host and port for programs on this machine.
    var forThisMachine: String { isUnspecified ? "\(host.contains(":") ? "[::1]" : "127.0.0.1"):\(port)" : description }
}
