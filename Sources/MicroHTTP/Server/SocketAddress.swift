import Glibc

/// A numeric internet address with a port, in the form of the system's structure `sockaddr_storage`.
struct SocketAddress {
    private var storage: sockaddr_storage
    let length: socklen_t

    /// Copies an IPv4 or IPv6 address from the system's structure, which has `length` bytes. Nil if the address is of another kind, or too short.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let needed: Int
        // Each of the system's structures for addresses begins with the number of the address's family.
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

    /// Parses a numeric internet address, which is IPv4 or IPv6 without brackets, optionally with a scope (`fe80::1%eth0`). Nil if the text is not a
    /// numeric internet address.
    init?(numericHost host: String, port: UInt16) {
        // An IPv4 address is checked with `inet_pton`, because `getaddrinfo` alone would accept "*", "1" and "0x7f.1" as IPv4 addresses.
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

    /// Creates the internet address to which a socket is bound; nil if the system does not report the address.
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
        // The system's structures of IPv4 and IPv6 addresses both contain the port after the family, in network byte order.
        withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The internet address as 16 bytes, without port. An IPv4 address has its mapped form (`::ffff:a.b.c.d`), so that it has the same key over IPv4
    /// and IPv6 sockets.
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

    /// The numeric internet address as text, without port. In the text, an IPv6 address has no brackets, and a mapped IPv4 address is written as
    /// IPv4.
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

/// An internet address without port, as a number of 128 bits.
struct AddressKey: Hashable {
    let high: UInt64
    let low: UInt64

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }
    /// The key that identifies a client for limits: its IPv4 or loopback address, or the first 64 bits of its IPv6 address, because one machine can
    /// have any number of addresses with the same first 64 bits.
    var network: AddressKey { isIPv4 || isLoopback ? self : AddressKey(high: high, low: 0) }
    /// Whether the internet address is in 127.0.0.0/8, also in the mapped form (`::ffff:127.a.b.c`), or is ::1.
    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }
    /// Whether the internet address is 0.0.0.0 or ::, which stand for every network interface.
    var isUnspecified: Bool { isIPv4 ? low & 0xFFFF_FFFF == 0 : high == 0 && low == 0 }
}
