/// A parsed JSON document. Its numbers are kept as text, and the members of objects in their order, without duplicates.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// The kind of the value, for the `detail` of a problem.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether two values have the same text, compared byte by byte.
    static func == (first: JSONValue, second: JSONValue) -> Bool { JSONWriter.text(of: first) == JSONWriter.text(of: second) }
}

struct JSONMember: Sendable {
    var name: String
    var value: JSONValue
}

/// A number as text, so that no digit is lost before it is converted for its purpose.
struct JSONNumber: Sendable {
    /// The text, as in RFC 8259, section 6.
    let text: String

    /// The nearest double; nil if the number is too large.
    var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The integer; nil if it has a fraction or does not fit in 64 bits. `1.0` and `1e3` are integers too, as in JSON Schema, up to 2⁵³.
    var integer: Int64? {
        if let value = Int64(text) { return value }
        guard let value = double, value.rounded() == value, abs(value) <= 9_007_199_254_740_992 else { return nil }
        return Int64(value)
    }
}
