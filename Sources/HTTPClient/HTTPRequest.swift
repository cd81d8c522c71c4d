import Platform
import PlaybackEngine

/// What all requests for one medium have in common: its origin, the custom header fields, and whether titles are wanted. `bytes` writes one request
/// for a part of the medium (RFC 9110, section 14).
struct HTTPRequest {
    /// The URL that the user has given. Only its origin receives the custom header fields and the credentials.
    let origin: RemoteURL
    /// The custom header fields, without `Cookie`. They replace the request's own `User-Agent`, `Accept` and `Authorization`.
    let headers: [MetadataEntry]
    /// The values of the custom header fields `Cookie`, which precede the cookies of servers.
    private let cookies: [[UInt8]]
    /// The log for the titles of a radio station; nil if nothing uses them, so that they are not requested.
    let titles: TimedMetadataLog?

    init(_ origin: RemoteURL, headers: [MetadataEntry], titles: TimedMetadataLog? = nil) {
        self.origin = origin
        self.titles = titles
        let permitted = headers.filter { HTTPRequest.isPermitted($0) }
        self.headers = permitted.filter { !HTTPRequest.isField($0, "cookie") }
        cookies = permitted.filter { HTTPRequest.isField($0, "cookie") }.map { Array($0.value.utf8) }
    }

    /// Returns the bytes of a request to `url`.
    ///
    /// - Parameters:
    ///   - range: The requested bytes, written as the value of the header field `Range`.
    ///   - validator: The value of the header field `If-Range`: the range is sent only if the medium is still the same.
    ///   - proxy: The proxy that receives the request and forwards it; nil if the server receives the request, directly or through a tunnel of a
    ///     proxy.
    ///   - serverCookies: The cookies that servers have set for this URL; nil if there are none.
    func bytes(
        to url: RemoteURL, range: String, validator: String?, proxy: HTTPProxy? = nil, serverCookies: [UInt8]? = nil
    ) -> [UInt8] {
        let target = proxy == nil ? url.target : "http://\(url.authority)\(url.target)"
        let custom = url.hasSameOrigin(as: origin) ? headers : []
        var lines = ["GET \(target) HTTP/1.1", "Host: \(url.authority)", "Accept-Encoding: identity", "Range: bytes=\(range)"]
        // A server may refuse a request that has one of these fields twice (RFC 9110, section 5.3), so a custom field replaces the program's own.
        if !custom.contains(where: { HTTPRequest.isField($0, "user-agent") }) { lines.append("User-Agent: Tonearm") }
        if !custom.contains(where: { HTTPRequest.isField($0, "accept") }) { lines.append("Accept: */*") }
        if let authorization = proxy?.authorization { lines.append("Proxy-Authorization: \(authorization)") }
        if titles != nil { lines.append("Icy-MetaData: 1") }
        if let validator { lines.append("If-Range: \(validator)") }
        var cookies = serverCookies.map { [$0] } ?? []
        if url.hasSameOrigin(as: origin) {
            cookies = self.cookies + cookies
            lines += custom.map { "\($0.key): \($0.value)" }
            if !custom.contains(where: { HTTPRequest.isField($0, "authorization") }),
                let credentials = origin.credentials.map(PercentEncoding.lenientlyDecodedBytes)
            {
                lines.append("Authorization: Basic \(Base64.encode(credentials))")
            }
        }
        var bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        if !cookies.isEmpty { bytes += Array("Cookie: ".utf8) + cookies.joined(separator: [0x3B, 0x20]) + [0x0D, 0x0A] }
        return bytes + [0x0D, 0x0A]
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

/// The identity of a medium's content on its server, by which a changed medium is recognised (RFC 9110, section 8.8).
struct MediumVersion: Equatable {
    /// The strong entity tag; nil if the server sends none, a weak one, or one of more than 1,024 bytes.
    let tag: [UInt8]?
    let lastModified: [UInt8]?

    init(_ reply: HTTPReply) {
        tag = reply["etag"].map { Array($0.trimmingSpaces.utf8) }.flatMap { $0.starts(with: "W/".utf8) || $0.count > 1024 ? nil : $0 }
        lastModified = reply["last-modified"].map { Array($0.trimmingSpaces.utf8) }.flatMap { $0.count > 256 ? nil : $0 }
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
