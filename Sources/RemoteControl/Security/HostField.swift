import Glibc
import Platform

/// A `Host` field: `name`, `name:port` or `[address]:port`.
struct HostField: Sendable, Hashable {
    /// The name or address in lower case, without brackets.
    let name: String
    let isAddress: Bool
    let port: UInt16?

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 261 else { return nil }
        var host: ArraySlice<UInt8>
        var rest: ArraySlice<UInt8>
        if bytes[0] == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = bytes[1..<close]
            rest = bytes[(close + 1)...]
        } else {
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            host = bytes[..<colon]
            rest = bytes[colon...]
        }
        if let colon = rest.popFirst() {
            guard colon == UInt8(ascii: ":"), !rest.isEmpty, rest.count <= 5, rest.allSatisfy(\.isASCIIDigit) else { return nil }
            guard let number = UInt16(exactly: rest.reduce(0, { $0 * 10 + Int($1 - 0x30) })) else { return nil }
            port = number
        } else {
            port = nil
        }
        name = String(decoding: host, as: UTF8.self).lowercased()
        if bytes[0] == UInt8(ascii: "[") {
            guard Self.isAddress(name, AF_INET6) else { return nil }
            isAddress = true
        } else {
            guard !host.isEmpty, host.allSatisfy(Self.isNameByte) else { return nil }
            isAddress = Self.isAddress(name, AF_INET)
        }
    }

    var isLoopback: Bool {
        guard isAddress else { return false }
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, name, &bytes) == 1 else { return name.hasPrefix("127.") }
        return withUnsafeBytes(of: &bytes) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAddress(_ text: String, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, text, &address) == 1
    }
}
