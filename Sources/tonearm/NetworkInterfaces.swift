import Glibc

/// An address that one of this machine's network interfaces has.
struct InterfaceAddress: Sendable, Hashable {
    /// Numeric; IPv6 without brackets, with its zone where it has one.
    var host: String
    /// The interface is up and has a carrier.
    var isUp: Bool
    var isLoopback: Bool
    var isIPv6: Bool { host.contains(":") }
    /// Good on one wire only: IPv6 needs a zone with it, which no link in a browser may have, and IPv4 has it where nobody gave an address.
    var isLinkLocal: Bool { isIPv6 ? host.lowercased().hasPrefix("fe80:") : host.hasPrefix("169.254.") }

    /// Those by which another device of the network reaches a server that listens on all of one family, IPv4 first, each once.
    /// `withIPv6`: the server listens on both families.
    static func reachable(among all: [InterfaceAddress], withIPv6: Bool) -> [InterfaceAddress] {
        var seen: Set<String> = []
        let good = all.filter { $0.isUp && !$0.isLoopback && !$0.isLinkLocal && (withIPv6 || !$0.isIPv6) && seen.insert($0.host).inserted }
        return good.filter { !$0.isIPv6 } + good.filter(\.isIPv6)
    }

    /// What the machine has now, in its order; none where it does not tell.
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

    /// nil where it is no address of the internet's protocols.
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
