import Platform

/// The head of an HTTP response (RFC 9112), read from hostile bytes.
struct HTTPReply {
    let status: Int
    /// The header fields of the HTTP response in order, with their names in lower case.
    let fields: [(name: String, value: String)]

    /// Reads the head of an HTTP response without the empty line that ends it; nil if the bytes are not a head. The version in an HTTP response may
    /// also be `ICY`, as old radio servers send it.
    init?(_ bytes: [UInt8]) {
        // The head of the HTTP response is read as Latin-1, in which every byte is a character, so that no byte is lost.
        let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        // The head of the HTTP response is split by scalars, because CR and LF together are one character in Swift.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Substring(line.last == "\r" ? line.dropLast() : line)
        }
        guard let first = lines.first else { return nil }
        let parts = first.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1.") || parts[0] == "ICY", parts[1].utf8.count == 3, let status = Int(parts[1]),
            status >= 100
        else {
            return nil
        }
        self.status = status
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (line[..<colon].lowercased(), String(value))
        }
    }

    /// Returns the first value of the HTTP header field called `name` (in lower case); nil if there is none.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The bytes of the URL or reference to which the server redirects; nil if there is none. The head was read as Latin-1, so each scalar is one byte.
    var location: [UInt8]? { self["location"].map { $0.trimmingSpaces.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } } }
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
    /// The waiting time that the server requests before another attempt, in seconds; nil if it states none, or a date.
    var retryAfter: Double? { self["retry-after"].flatMap { UInt32($0.trimmingSpaces) }.map(Double.init) }
    /// Whether the response is that of a radio station (Icecast, Shoutcast), which has no end.
    var isStation: Bool { fields.contains { $0.name.hasPrefix("icy-") } }
    /// The length of the medium that the server states when it cannot send the requested range, in bytes; nil if it states none.
    var unsatisfiedLength: Int64? {
        guard let value = self["content-range"]?.lowercased(), value.hasPrefix("bytes */") else { return nil }
        return Int64(value.dropFirst(8).trimmingSpaces).flatMap { HTTPReply.sizes.contains($0) ? $0 : nil }
    }
    /// The first coding of the body other than `chunked`, such as `gzip`, in lower case and cut after 32 bytes; nil if the body is not coded. A coding
    /// is not decoded: ranges of a coded body are not ranges of the medium, and a few of its bytes can become gigabytes.
    var coding: String? {
        for field in fields where ["content-encoding", "transfer-encoding"].contains(field.name) {
            for part in field.value.utf8.split(separator: 0x2C) {
                let coding = part.map(\.asciiLowercased).withoutOuterBlanks
                if coding.isEmpty || coding.elementsEqual("identity".utf8) { continue }
                if field.name == "transfer-encoding", coding.elementsEqual("chunked".utf8) { continue }
                return String(decoding: coding.prefix(32).map { $0 > 0x20 && $0 < 0x7F ? $0 : 0x3F }, as: UTF8.self)
            }
        }
        return nil
    }
    var isChunked: Bool { self["transfer-encoding"]?.lowercased().contains("chunked") ?? false }
    var contentLength: Int64? { self["content-length"].flatMap { Int64($0.trimmingSpaces) }.flatMap { HTTPReply.sizes.contains($0) ? $0 : nil } }
    /// The plausible lengths of a medium, in bytes. A length of a medium beyond 2⁶⁰ bytes that a server states is ignored.
    private static let sizes: ClosedRange<Int64> = 0...(1 << 60)

    /// The range of bytes in a partial HTTP response: the offset of its first byte, and the length of the whole medium in bytes (nil if the server
    /// does not state it). `contentRange` is nil if the response has no valid range.
    var contentRange: (first: Int64, length: Int64?)? {
        guard let value = self["content-range"], value.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = value.dropFirst(6).split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let dash = parts[0].firstIndex(of: "-"), let first = Int64(parts[0][..<dash].trimmingSpaces),
            HTTPReply.sizes.contains(first)
        else { return nil }
        return (first, Int64(parts[1].trimmingSpaces).flatMap { $0 > first && HTTPReply.sizes.contains($0) ? $0 : nil })
    }
}

extension StringProtocol {
    var trimmingSpaces: String { String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
}
