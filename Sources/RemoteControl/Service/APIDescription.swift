/// The OpenAPI description of the API (openapi.yaml), in YAML and in JSON.
public struct APIDescription: Sendable {
    public var yaml: [UInt8]
    public var json: [UInt8]

    public init(yaml: [UInt8], json: [UInt8]) {
        self.yaml = yaml
        self.json = json
    }

    public static let none = APIDescription(yaml: [], json: [])

    /// Returns one of the texts with the server's address as the client knows it, so that a generated client uses the right one.
    /// - Parameter host: The field `Host`, which `RequestGuard` has admitted.
    static func addressed(_ text: [UInt8], host: String, prefix: String = "") -> [UInt8] {
        // No host name, address or port needs quotes in YAML or JSON. The first occurrence of the documented address is the URL of the server.
        guard HostField(host) != nil, let documented = text.firstRange(of: Array("http://127.0.0.1:7711".utf8)) else { return text }
        return Array(text[..<documented.lowerBound]) + Array(("http://" + host + prefix).utf8) + Array(text[documented.upperBound...])
    }
}
