/// A file of the page that cannot be bundled, with the reason.
public struct PageError: Error, CustomStringConvertible, Equatable {
    /// The path of the file in `web/`.
    public let path: String
    /// A sentence without a full stop.
    public let reason: String

    public var description: String { "\(path): \(reason)" }
}
