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
