/// The OpenAPI description of the API (openapi.yaml), in both of its forms.
public struct APIDescription: Sendable {
    /// The YAML form.
    public var yaml: [UInt8]
    /// Returns the JSON form. It is called when a client first asks for this form.
    public var json: @Sendable () -> [UInt8]
    /// Returns the gzip form of some bytes; nil if there is none.
    public var compress: (@Sendable ([UInt8]) -> [UInt8]?)?

    /// Creates a description from its two forms.
    public init(yaml: [UInt8], json: @escaping @Sendable () -> [UInt8], compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil) {
        self.yaml = yaml
        self.json = json
        self.compress = compress
    }

    /// An empty description.
    public static let none = APIDescription(yaml: [], json: { [] })
}
