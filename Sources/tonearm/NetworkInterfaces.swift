import Glibc

/// An address of one of this machine's network interfaces.
struct InterfaceAddress: Sendable, Hashable {
    /// The numeric network address of the interface. The text of an IPv6 address has no brackets, and has the address's zone if there is one.
    var host: String
    /// Whether the network interface is up and has a carrier (a connected cable or network).
    var isUp: Bool
    var isLoopback: Bool
    var isIPv6: Bool { host.contains(":") }
    /// Whether the network address is valid on one link only. A link-local IPv6 address needs a zone, which a URL in a browser cannot contain. An
    /// IPv4 interface has a link-local address only if no other address was assigned to it.
    var isLinkLocal: Bool { isIPv6 ? host.lowercased().hasPrefix("fe80:") : host.hasPrefix("169.254.") }

    /// Returns the network addresses at which other devices of the network can reach a server that listens on all interfaces. The result has no
    /// duplicates, and contains IPv4 addresses first.
    ///
    /// - Parameter withIPv6: Whether the server listens on IPv6 addresses too. Otherwise no IPv6 address is returned.
    static func reachable(among all: [InterfaceAddress], withIPv6: Bool) -> [InterfaceAddress] {
        var seen: Set<String> = []
        let found = all.filter { $0.isUp && !$0.isLoopback && !$0.isLinkLocal && (withIPv6 || !$0.isIPv6) && seen.insert($0.host).inserted }
        return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
    }

    /// Returns the present network addresses of this machine, in the order in which the system reports them; an empty array if the system does not
    /// report them.
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

    /// Creates the address of a network interface; nil if the system's entry contains no IPv4 or IPv6 address.
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
