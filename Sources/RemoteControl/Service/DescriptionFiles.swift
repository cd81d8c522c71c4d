import Platform
import Synchronization

/// The files `/openapi.yaml` and `/openapi.json`, with the server's address as the requesting client knows it. So a client program that is generated
/// from a file uses the right address. Any thread may use the files.
final class DescriptionFiles: Sendable {
    enum Form: String, Sendable {
        case yaml, json
        var contentType: String { self == .yaml ? "application/yaml" : "application/json" }
    }

    /// The server's address in the original openapi.yaml, which is replaced by the address of the request.
    static let documentedAddress = "http://127.0.0.1:7711"
    /// The maximum number of generated files that are kept. If there are so many, a request that needs another file discards all of them.
    static let maximumCount = 8

    private let description: APIDescription
    /// The JSON form of the description; nil before a client first asks for that form.
    private let json = Mutex<[UInt8]?>(nil)
    private let files = Mutex<[OuterText: StaticFiles.File]>([:])

    init(_ description: APIDescription) { self.description = description }

    /// Returns the file with the address `http://host`, followed by the prefix.
    /// - Parameters:
    ///   - host: The value of the request's field `Host`, which `RequestGuard` has admitted.
    ///   - prefix: The path prefix of a proxy (`PathPrefix`); empty if the request has no prefix.
    func file(_ form: Form, host: String, prefix: String = "") -> StaticFiles.File {
        // No character of a host name, an address or a port needs quotes in YAML or JSON.
        let address = HostName(host) == nil ? Self.documentedAddress : "http://" + host + prefix
        let key = OuterText(form.rawValue + " " + address)
        if let known = files.withLock({ $0[key] }) { return known }
        let file = StaticFiles.File(
            contentType: form.contentType, bytes: Self.replacing(Array(Self.documentedAddress.utf8), with: Array(address.utf8), in: text(form)),
            compress: description.compress)
        files.withLock { files in
            if files.count >= Self.maximumCount { files.removeAll() }
            files[key] = file
        }
        return file
    }

    /// The number of generated files that are kept now.
    var count: Int { files.withLock { $0.count } }

    /// Returns the description in one of its forms. The JSON form is converted once.
    private func text(_ form: Form) -> [UInt8] {
        guard form == .json else { return description.yaml }
        return json.withLock { json in
            if let json { return json }
            let converted = description.json()
            json = converted
            return converted
        }
    }

    /// Returns `text` with the first occurrence of `old` replaced by `new`. The first occurrence in the description is the URL of its server.
    private static func replacing(_ old: [UInt8], with new: [UInt8], in text: [UInt8]) -> [UInt8] {
        guard let first = text.firstRange(of: old) else { return text }
        return Array(text[..<first.lowerBound]) + new + Array(text[first.upperBound...])
    }
}

/// The OpenAPI description of the API (openapi.yaml), in YAML and in JSON.
public struct APIDescription: Sendable {
    /// The YAML form of the OpenAPI description, in bytes of UTF-8.
    public var yaml: [UInt8]
    /// The function that returns the JSON form of the OpenAPI description. The function is called when a client first requests the JSON form.
    public var json: @Sendable () -> [UInt8]
    /// The function that returns the gzip form of some bytes, or nil if there is not enough memory; nil if the description is not compressed.
    public var compress: (@Sendable ([UInt8]) -> [UInt8]?)?

    /// Creates a description from its YAML form and a function that makes its JSON form.
    public init(yaml: [UInt8], json: @escaping @Sendable () -> [UInt8], compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil) {
        self.yaml = yaml
        self.json = json
        self.compress = compress
    }

    /// An empty OpenAPI description.
    public static let none = APIDescription(yaml: [], json: { [] })
}
