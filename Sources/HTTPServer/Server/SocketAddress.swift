import Glibc

/// A numeric address with a port, as `sockaddr_storage`.
struct SocketAddress {
    private var storage: sockaddr_storage
    let length: socklen_t

    /// Copies an address of `length` bytes; nil unless it is an IPv4 or IPv6 address.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let needed: Int
        // Each structure begins with the family.
        switch Int32(UnsafeRawPointer(address).load(as: sa_family_t.self)) {
        case AF_INET: needed = MemoryLayout<sockaddr_in>.size
        case AF_INET6: needed = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        guard Int(length) >= needed else { return nil }
        storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: needed)) }
        self.length = socklen_t(needed)
    }

    /// Parses IPv4, or IPv6 without brackets, optionally with a scope (`fe80::1%eth0`).
    init?(numericHost host: String, port: UInt16) {
        // `getaddrinfo` alone would accept "*", "1" and "0x7f.1".
        var octets = in_addr()
        guard host.contains(":") || inet_pton(AF_INET, host, &octets) == 1 else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        guard let address = list.pointee.ai_addr else { return nil }
        self.init(address, length: list.pointee.ai_addrlen)
    }

    init?(boundTo descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0 ? SocketAddress(address, length: length) : nil
            }
        }
        guard let address else { return nil }
        self = address
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) } }
    }

    var isIPv6: Bool { Int32(storage.ss_family) == AF_INET6 }

    var port: UInt16 {
        // Both structures have the port after the family, in network byte order.
        withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The 16 bytes of the address, without its port. IPv4 is mapped (`::ffff:a.b.c.d`), so that it has the same key over IPv6 sockets.
    var key: AddressKey {
        withUnsafeBytes(of: storage) { bytes in
            if isIPv6 {
                return AddressKey(
                    high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
            }
            return AddressKey(high: 0, low: 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
        }
    }

    /// The address as text, without port and brackets; mapped IPv4 as IPv4.
    var numericHost: String {
        if key.isIPv4 {
            return (0..<4).map { String(key.low >> (24 - 8 * UInt64($0)) & 0xFF) }.joined(separator: ".")
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
            let code = withPointer { getnameinfo($0, $1, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
            guard code == 0, let start = text.baseAddress else { return "?" }
            return String(cString: start)
        }
    }
}

/// A numeric address without a port, by which connections are counted.
struct AddressKey: Hashable {
    let high: UInt64
    let low: UInt64

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }
    /// The network for limits: an IPv4 or loopback address, or the first 64 bits of IPv6, because one machine can use all addresses with these bits.
    var network: AddressKey { isIPv4 || isLoopback ? self : AddressKey(high: high, low: 0) }
    /// Whether the address is in 127.0.0.0/8, also mapped to IPv6, or is ::1.
    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }
    /// Whether the address stands for every network interface.
    var isUnspecified: Bool { isIPv4 ? low & 0xFFFF_FFFF == 0 : high == 0 && low == 0 }
}
