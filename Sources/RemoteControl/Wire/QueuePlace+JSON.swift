import Playlist

extension QueuePlace {
    /// The members of a request's body that name a position in the queue. A request has at most one of them.
    static let members = ["position", "before", "after", "index"]

    private enum Place: String, CaseIterable { case next, end }

    /// Reads the position from the body of a request; nil if the body names none.
    init?(_ body: JSONObjectReader) throws(Problem) {
        let given = Self.members.filter(body.has)
        if given.count > 1 {
            throw Problem(.invalidValue, "\"\(given[1])\" cannot be combined with \"\(given[0])\".", pointer: body.pointer(given[1]))
        }
        let maximumLength = QueueController.maximumIDLength
        if let place = try body.choice("position", of: Place.self) {
            self = place == .next ? .next : .end
        } else if let id = try body.string("before", maximumLength: maximumLength) {
            self = .before(id)
        } else if let id = try body.string("after", maximumLength: maximumLength) {
            self = .after(id)
        } else if let index = try body.integer("index", in: 0...Int64(PlaylistMachine.maximumCount)) {
            self = .index(Int(index))
        } else {
            return nil
        }
    }

    /// The JSON pointer to the member that names the neighbouring entry; nil if the position is not given by an entry.
    var pointer: String? {
        switch self {
        case .before: "/before"
        case .after: "/after"
        case .end, .next, .index: nil
        }
    }
}
