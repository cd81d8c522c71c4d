import Synchronization

/// The files `/openapi.yaml` and `/openapi.json`. The files contain the server's address as the requesting client knows it, so that a client program
/// that is generated from a file uses the right address.
///
/// Any thread may use the files.
final class DescriptionFiles: Sendable {
    enum Form: String, Sendable {
        case yaml, json
        var contentType: String { self == .yaml ? "application/yaml" : "application/json" }
    }

    /// The server's address in the original openapi.yaml, which is replaced by the address of the request.
    static let documentedAddress = "http://127.0.0.1:7711"
    /// The maximum number of generated files that are kept. If the maximum is reached, a request with another host replaces one of the kept files.
    static let maximumCount = 8
    /// The maximum length of a host that is written into a file, in bytes: a DNS name and a port. A file for a longer host contains the address of
    /// the original openapi.yaml.
    private static let maximumHostLength = 262

    private let description: APIDescription
    private let files = Mutex<[[UInt8]: StaticFiles.File]>([:])

    init(_ description: APIDescription) { self.description = description }

    /// Returns the file with the address `http://host`, followed by the prefix.
    /// - Parameters:
    ///   - host: The value of the request's field `Host`, which `RequestGuard` has admitted.
    ///   - prefix: The path of the proxy (`PathPrefix`); empty if there is none.
    func file(_ form: Form, host: String, prefix: String = "") -> StaticFiles.File {
        let isWritable = host.utf8.count <= Self.maximumHostLength && host.utf8.allSatisfy(Self.isOfHost)
        let address = isWritable ? "http://" + host + prefix : Self.documentedAddress
        let key = Array((form.rawValue + " " + address).utf8)
        if let known = files.withLock({ $0[key] }) { return known }
        let text = form == .yaml ? description.yaml : description.json()
        let file = StaticFiles.File(
            contentType: form.contentType, bytes: Self.replacing(Array(Self.documentedAddress.utf8), with: Array(address.utf8), in: text),
            compress: description.compress)
        files.withLock { files in
            if files.count >= Self.maximumCount { files.removeAll() }
            files[key] = file
        }
        return file
    }

    /// The number of generated files that are kept now.
    var count: Int { files.withLock { $0.count } }

    /// Whether a byte may occur in a host name, an IP address or a port. No such byte needs quotes in YAML or JSON.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }

    /// Returns `text` with the first occurrence of `old` replaced by `new`. The first occurrence in the description is the URL of its server.
    private static func replacing(_ old: [UInt8], with new: [UInt8], in text: [UInt8]) -> [UInt8] {
        guard let first = text.firstRange(of: old) else { return text }
        return Array(text[..<first.lowerBound]) + new + Array(text[first.upperBound...])
    }
}
