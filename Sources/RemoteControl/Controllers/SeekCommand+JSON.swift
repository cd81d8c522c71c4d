import Playlist

extension SeekCommand {
    /// Decodes the JSON body of `POST /api/v1/player/seek`.
    init(json body: [UInt8]) throws(Problem) {
        let reader = try JSONObjectReader(
            body: body, known: ["time", "offset", "fraction", "exactTime", "tolerance", "toleranceBefore", "toleranceAfter"])
        try self.init(target: Self.target(reader), tolerance: Self.tolerance(reader))
    }

    private static func target(_ reader: JSONObjectReader) throws(Problem) -> Target {
        let given = ["time", "offset", "fraction", "exactTime"].filter(reader.has)
        guard let first = given.first else {
            throw Problem(.missingMember, "Give one of time, offset, fraction and exactTime.", pointer: reader.pointer("time"))
        }
        guard given.count == 1 else {
            throw Problem(.invalidValue, "Give only one of time, offset, fraction and exactTime.", pointer: reader.pointer(given[1]))
        }
        if let time = try reader.number("time", in: PlayerController.times) { return .time(time) }
        if let offset = try reader.number("offset", in: PlayerController.times) { return .offset(offset) }
        if let fraction = try reader.number("fraction", in: 0...1) { return .fraction(fraction) }
        if let exact = try reader.object("exactTime", known: ["value", "timescale"]) { return try exactTime(exact) }
        throw reader.missing(first)
    }

    /// Reads the members of `exactTime`: the position is `value` / `timescale` seconds. Throws a problem if the position is out of range.
    private static func exactTime(_ reader: JSONObjectReader) throws(Problem) -> Target {
        guard let value = try reader.integer("value", in: Int64.min...Int64.max) else { throw reader.missing("value") }
        guard let timescale = try reader.integer("timescale", in: 1...Int64(Int32.max)) else { throw reader.missing("timescale") }
        guard PlayerController.times.contains(Double(value) / Double(timescale)) else {
            throw Problem(
                .outOfRange, "\"value\" divided by \"timescale\" must be from -1000000000 to 1000000000 seconds.", pointer: reader.pointer("value"))
        }
        return .exactTime(value: value, timescale: Int32(timescale))
    }

    private static func tolerance(_ reader: JSONObjectReader) throws(Problem) -> Tolerance {
        let kind = try reader.choice("tolerance", of: ["automatic", "exact", "any", "range"]) ?? "automatic"
        let before = try reader.number("toleranceBefore", in: 0...PlayerController.times.upperBound)
        let after = try reader.number("toleranceAfter", in: 0...PlayerController.times.upperBound)
        guard kind == "range" else {
            for name in ["toleranceBefore", "toleranceAfter"] where reader.has(name) {
                throw Problem(.invalidValue, "\"\(name)\" requires \"tolerance\": \"range\".", pointer: reader.pointer(name))
            }
            return kind == "any" ? .any : kind == "exact" ? .exact : .automatic
        }
        return .range(before: before ?? 0, after: after ?? 0)
    }
}
