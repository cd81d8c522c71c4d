import Platform
import Synchronization

/// The files `/openapi.yaml` and `/openapi.json` with the server's address as the client knows it, so that a generated client uses the right one.
final class DescriptionFiles: Sendable {
    enum Form: String, Sendable {
        case yaml, json
        var contentType: String { self == .yaml ? "application/yaml" : "application/json" }
    }

    /// The address in the description, which is replaced by that of the request.
    static let documentedAddress = "http://127.0.0.1:7711"
    /// The greatest number of files; one more discards them all.
    static let maximumCount = 8

    private let description: APIDescription
    private let files = Mutex<[OuterText: StaticFiles.File]>([:])

    init(_ description: APIDescription) { self.description = description }

    /// - Parameter host: The field `Host`, which `RequestGuard` has admitted.
    func file(_ form: Form, host: String, prefix: String = "") -> StaticFiles.File {
        // No host name, address or port needs quotes in YAML or JSON.
        let address = HostName(host) == nil ? Self.documentedAddress : "http://" + host + prefix
        let key = OuterText(form.rawValue + " " + address)
        if let known = files.withLock({ $0[key] }) { return known }
        let text = form == .yaml ? description.yaml : description.json
        let file = StaticFiles.File(
            contentType: form.contentType, bytes: Self.replacing(Array(Self.documentedAddress.utf8), with: Array(address.utf8), in: text),
            compress: description.compress)
        files.withLock { files in
            if files.count >= Self.maximumCount { files.removeAll() }
            files[key] = file
        }
        return file
    }

    var count: Int { files.withLock { $0.count } }

    /// Replaces the first occurrence, which is the URL of the server.
    private static func replacing(_ old: [UInt8], with new: [UInt8], in text: [UInt8]) -> [UInt8] {
        guard let first = text.firstRange(of: old) else { return text }
        return Array(text[..<first.lowerBound]) + new + Array(text[first.upperBound...])
    }
}

/// The OpenAPI description of the API (openapi.yaml), in YAML and in JSON.
public struct APIDescription: Sendable {
    public var yaml: [UInt8]
    public var json: [UInt8]
    /// Compresses a file with gzip; returns nil if there is not enough memory.
    public var compress: (@Sendable ([UInt8]) -> [UInt8]?)?

    public init(yaml: [UInt8], json: [UInt8], compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil) {
        self.yaml = yaml
        self.json = json
        self.compress = compress
    }

    public static let none = APIDescription(yaml: [], json: [])
}
