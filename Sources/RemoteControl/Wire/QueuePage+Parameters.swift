import Playlist

extension QueuePage {
    /// The largest permitted value of the parameter `limit`.
    static let maximumLimit = 1000
    /// The number of entries of a page around the current entry if the request has no `limit`.
    private static let limitAroundCurrent = 100

    private enum Center: String { case current }

    /// Reads the page from the parameters of a request.
    init(_ target: RequestTarget) throws(Problem) {
        let offset = try target.integer("offset", in: 0...PlaylistMachine.maximumCount)
        let limit = try target.integer("limit", in: 1...Self.maximumLimit)
        let order = try Self.choice("order", QueueOrder.display, target)
        if target.parameter("around") != nil {
            _ = try Self.choice("around", Center.current, target)
            self.init(start: .aroundCurrent, limit: limit ?? Self.limitAroundCurrent, order: order)
        } else {
            self.init(start: .offset(offset ?? 0), limit: limit, order: order)
        }
    }

    /// Returns the value of a parameter as a value of an enumeration, or `absent` if the request does not have the parameter.
    private static func choice<Value: RawRepresentable<String>>(_ name: String, _ absent: Value, _ target: RequestTarget) throws(Problem) -> Value {
        guard let text = target.parameter(name) else { return absent }
        guard text.utf8.count <= 64, let value = Value(rawValue: text) else {
            throw Problem(.invalidParameter, "The parameter has no such value.", parameter: name)
        }
        return value
    }
}
