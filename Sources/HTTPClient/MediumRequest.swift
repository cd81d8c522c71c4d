import Platform
import PlaybackEngine

/// What all requests for one medium have in common: its origin, the custom header fields, and whether titles are wanted.
struct MediumRequest {
    /// The URL that the user has given. Only its origin receives the custom header fields and the credentials.
    let origin: RemoteURL
    /// The URL that is requested: `origin`, or that of a part of the medium, such as a segment of a stream.
    let address: RemoteURL
    /// The custom header fields, without `Cookie`. They replace the request's own `User-Agent`, `Accept` and `Authorization`.
    let headers: [MetadataEntry]
    /// The values of the custom header fields `Cookie`, which are sent in addition to the cookies of servers.
    private let cookies: [String]
    /// The log for the titles of a radio station; nil if nothing uses them, so that they are not requested.
    let titles: TimedMetadataLog?

    init(_ origin: RemoteURL, address: RemoteURL? = nil, headers: [MetadataEntry], titles: TimedMetadataLog? = nil) {
        self.origin = origin
        self.address = address ?? origin
        self.titles = titles
        let permitted = headers.filter { MediumRequest.isPermitted($0) }
        self.headers = permitted.filter { !MediumRequest.isField($0, "cookie") }
        cookies = permitted.filter { MediumRequest.isField($0, "cookie") }.map { "\($0.value)" }
    }

    /// Returns the header fields of a request to `url` that libcurl does not write by itself, as lines.
    ///
    /// - Parameters:
    ///   - range: The requested bytes, written as the value of the header field `Range`; nil for the whole medium.
    ///   - validator: The value of the header field `If-Range`: the range is sent only if the medium is still the same.
    func fields(to url: RemoteURL, range: String?, validator: String?) -> [String] {
        let custom = url.hasSameOrigin(as: origin) ? headers : []
        var lines = ["Accept-Encoding: identity"]
        if let range { lines.append("Range: bytes=\(range)") }
        // A server may refuse a request that has one of these fields twice (RFC 9110, section 5.3), so a custom field replaces the program's own.
        if !custom.contains(where: { MediumRequest.isField($0, "user-agent") }) { lines.append("User-Agent: Tonearm") }
        if !custom.contains(where: { MediumRequest.isField($0, "accept") }) { lines.append("Accept: */*") }
        if titles != nil { lines.append("Icy-MetaData: 1") }
        if let validator { lines.append("If-Range: \(validator)") }
        // A field without a value ends with a semicolon for libcurl.
        lines += custom.map { field in field.value.utf8.allSatisfy(\.isBlank) ? "\(field.key);" : "\(field.key): \(field.value)" }
        if url.hasSameOrigin(as: origin), !custom.contains(where: { MediumRequest.isField($0, "authorization") }),
            let credentials = origin.credentials.map(PercentEncoding.lenientlyDecodedBytes)
        {
            lines.append("Authorization: Basic \(Base64.encode(credentials))")
        }
        return lines
    }

    /// Returns the user's own cookies for a request to `url`; nil if there are none.
    func cookie(for url: RemoteURL) -> String? {
        cookies.isEmpty || !url.hasSameOrigin(as: origin) ? nil : cookies.joined(separator: "; ")
    }

    /// Returns whether `field` has the name `name`, which is in lower case.
    private static func isField(_ field: MetadataEntry, _ name: String) -> Bool {
        field.key.utf8.map(\.asciiLowercased).elementsEqual(name.utf8)
    }

    /// Returns whether a custom header field may be sent: it must be well-formed, and must not be in `reserved`, the fields that the request sets
    /// itself or that concern the connection.
    private static func isPermitted(_ field: MetadataEntry) -> Bool {
        let reserved: Set<String> = [
            "host", "range", "if-range", "connection", "accept-encoding", "transfer-encoding", "content-length", "upgrade", "te", "trailer",
            "icy-metadata", "proxy-authorization", "proxy-connection",
        ]
        let isName =
            !field.key.isEmpty
            && field.key.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
            }
        return isName && !reserved.contains(field.key.lowercased()) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

/// The identity of a medium's content on its server, by which a changed medium is recognised (RFC 9110, section 8.8). Both values go into later
/// requests, perhaps to another server, so a value that the grammar does not permit counts as none.
struct MediumVersion: Equatable {
    /// The strong entity tag; nil if the server sends none, a weak one, or one of more than 1,024 bytes.
    let tag: [UInt8]?
    let lastModified: [UInt8]?

    init(_ reply: HTTPReply) {
        tag = reply["etag"].map { Array($0.trimmingSpaces.utf8) }.flatMap { MediumVersion.isStrongTag($0) ? $0 : nil }
        lastModified = reply["last-modified"].map { Array($0.trimmingSpaces.utf8) }.flatMap { MediumVersion.isDate($0) ? $0 : nil }
    }

    /// Returns whether the bytes are quoted, without another quotation mark, space or control character between (section 8.8.3).
    private static func isStrongTag(_ bytes: [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard (2...1024).contains(bytes.count), bytes.first == quote, bytes.last == quote else { return false }
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }

    /// Returns whether the bytes have only characters of a date, in any of its three forms (section 5.6.7).
    private static func isDate(_ bytes: [UInt8]) -> Bool {
        (1...64).contains(bytes.count) && bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || " ,:+-".utf8.contains($0) }
    }

    /// The value of the header field `If-Range`; nil if the server has sent neither an entity tag nor a date of the content.
    var validator: String? { (tag ?? lastModified).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns whether `other` identifies another content. The entity tags are compared if both have one, otherwise the dates if both have one.
    /// Returns false if neither can be compared.
    func differs(from other: MediumVersion) -> Bool {
        if let tag, let newTag = other.tag { return tag != newTag }
        if let lastModified, let newDate = other.lastModified { return lastModified != newDate }
        return false
    }
}

/// The Base64 encoding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 { output.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : 0x3D) }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
