import Glibc
import Platform
import PlaybackEngine

/// An IPv4 or IPv6 address, with the rule that decides whether an address belongs to the public internet.
struct NetworkAddress: Equatable {
    /// The bytes of the network address: 4 (IPv4) or 16 (IPv6).
    let bytes: [UInt8]

    /// The network address as text, such as "192.0.2.1".
    var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            return inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, start, socklen_t(buffer.count)).map { String(cString: $0) } ?? ""
        }
    }

    /// Returns all network addresses of the name `host`, in the resolver's order. `resolve` blocks as long as the system's resolver does.
    static func resolve(_ host: String) throws(PlaybackError) -> [NetworkAddress] {
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, nil, &list)
        guard code == 0 else {
            let underlying = PlaybackError.Underlying(domain: "POSIX", code: Int(code), message: String(cString: gai_strerror(code)))
            throw PlaybackError(.network, "The server's name could not be resolved.", reason: .hostNotFound, underlying: underlying)
        }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr, let one = NetworkAddress(address, family: entry.pointee.ai_family), !found.contains(one) {
                found.append(one)
            }
            next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw PlaybackError(.network, "The server's name could not be resolved.", reason: .hostNotFound) }
        return found
    }

    /// The number of the resolver's error for a name that does not exist.
    static let unknownName = Int(EAI_NONAME)

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses a literal address, without brackets and without a zone: IPv6 as `inet_pton` reads it, IPv4 as `inet_aton` does ("127.1", "0x7f.1",
    /// "2130706433"); a final dot is ignored. Returns nil for a name.
    init?(literal text: String) {
        let text = text.utf8.last == 0x2E ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
        var v4 = in_addr(), v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: &v6) { Array($0) }
        } else if text.utf8.first?.isASCIIDigit == true, inet_aton(text, &v4) == 1 {
            bytes = withUnsafeBytes(of: &v4) { Array($0) }
        } else {
            return nil
        }
    }

    init?(_ address: UnsafePointer<sockaddr>, family: Int32) {
        switch family {
        case AF_INET:
            bytes = UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            bytes = UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in6.self).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// Whether the network address belongs to the public internet. The following network addresses are not public: this machine, private and local
    /// networks, multicast, ranges for special purposes (IANA's registries), and IPv6 addresses that contain such an IPv4 address.
    var isPublic: Bool {
        if bytes.count == 4 { return NetworkAddress.isPublic(v4: bytes) }
        guard bytes.count == 16 else { return false }
        if bytes.dropLast(4).allSatisfy({ $0 == 0 }) { return false }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return NetworkAddress.isPublic(v4: Array(bytes[12...])) }
        // IPv6 addresses of NAT64 and 6to4 contain an IPv4 address.
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B]) {
            return bytes[4..<12].allSatisfy { $0 == 0 } && NetworkAddress.isPublic(v4: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x20, 0x02]) { return NetworkAddress.isPublic(v4: Array(bytes[2..<6])) }
        // The range 2000::/3 of IPv6 is assigned to the public internet, except for Teredo, benchmarking and documentation.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes.starts(with: [0x20, 0x01]), bytes[2] & 0xFE == 0 { return false }
        return !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
    }

    /// Whether the network address leads back to the machine that connects to it: an address of 127.0.0.0/8 or 0.0.0.0/8, also mapped into IPv6, or
    /// ::1 or ::.
    var isThisMachine: Bool {
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        if bytes.count == 4 || isMapped { return [0, 127].contains(bytes[bytes.count - 4]) }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last.map { $0 <= 1 } ?? false
    }

    /// Returns whether the first `length` bits of two addresses of the same family are the same.
    func sharesPrefix(with other: NetworkAddress, length: Int) -> Bool {
        guard bytes.count == other.bytes.count, length <= bytes.count * 8 else { return false }
        let whole = length / 8, rest = length % 8
        guard bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
        return rest == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
    }

    private static func isPublic(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (224..., _): false
        case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): false
        case (192, 0): bytes[2] != 0 && bytes[2] != 2
        case (198, 51): bytes[2] != 100
        case (203, 0): bytes[2] != 113
        default: true
        }
    }
}
