import Platform
import Player

/// Reads the members of a JSON object in a request. Throws a problem that names the member if one is unknown, has another type or is out of range. An
/// absent member is nil; the caller throws `missing` if it is required.
struct JSONObjectReader {
    private let members: [JSONMember]
    private let path: [String]

    /// Reads a body, in which only members in `known` are permitted.
    init(body: [UInt8], known: [String]) throws(Problem) {
        try self.init(body: body)
        try refuseUnknown(known)
    }

    init(body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONParser.parse(body)
        } catch {
            throw Problem(.malformedJSON, "\(error.reason) (at byte \(error.offset))", pointer: error.pointer)
        }
        try self.init(value, path: [])
    }

    private init(_ value: JSONValue, known: [String], path: [String]) throws(Problem) {
        try self.init(value, path: path)
        try refuseUnknown(known)
    }

    private init(_ value: JSONValue, path: [String]) throws(Problem) {
        guard case .object(let members) = value else {
            throw Problem(.wrongType, "An object is expected, not \(value.kindName).", pointer: JSONPointer.text(path))
        }
        self.members = members
        self.path = path
    }

    func refuseUnknown(_ known: [String]) throws(Problem) {
        for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.name.utf8) }) {
            throw Self.unknown(member.name, path: path)
        }
    }

    static func unknown(_ member: String, path: [String]) -> Problem {
        let name = member.unicodeScalars.count <= 64 ? "\"\(member)\"" : "with such a long name"
        return Problem(.unknownMember, "There is no member \(name) here.", pointer: JSONPointer.text(path + [member]))
    }

    func pointer(_ name: String) -> String { JSONPointer.text(path + [name]) }

    var place: String { JSONPointer.text(path) }

    func has(_ name: String) -> Bool { value(name) != nil }

    func missing(_ name: String) -> Problem { Problem(.missingMember, "The member \"\(name)\" is required.", pointer: pointer(name)) }

    func bool(_ name: String) throws(Problem) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .bool(let value)?: return value
        case let other?: throw wrongType(name, "a boolean", other)
        }
    }

    /// Reads a number. Throws `out-of-range` also for a number that is too large for a double.
    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let number = try jsonNumber(name) else { return nil }
        guard let value = number.double, range.contains(value) else {
            throw Problem(
                .outOfRange, "\"\(name)\" must be from \(JSONWriter.text(range.lowerBound)) to \(JSONWriter.text(range.upperBound)).",
                pointer: pointer(name))
        }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let number = try jsonNumber(name) else { return nil }
        guard let value = number.integer, range.contains(value) else {
            throw Problem(.outOfRange, "\"\(name)\" must be an integer from \(range.lowerBound) to \(range.upperBound).", pointer: pointer(name))
        }
        return value
    }

    /// Reads a string of at most `maximumLength` bytes of UTF-8. NUL is refused.
    func string(_ name: String, maximumLength: Int) throws(Problem) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let value)?:
            guard value.utf8.count <= maximumLength else {
                let code = ProblemCode.tooLong(value, limit: maximumLength, otherwise: .outOfRange)
                throw Problem(code, "\"\(name)\" may have at most \(maximumLength) bytes of UTF-8.", pointer: pointer(name))
            }
            guard !value.utf8.contains(0) else { throw Problem(.invalidValue, "\"\(name)\" contains a NUL.", pointer: pointer(name)) }
            return value
        case let other?: throw wrongType(name, "a string", other)
        }
    }

    func choice(_ name: String, of choices: [String]) throws(Problem) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let value)?:
            guard let choice = choices.first(where: { $0.utf8.elementsEqual(value.utf8) }) else {
                throw Problem(.invalidValue, "\"\(name)\" must be one of \(choices.joined(separator: ", ")).", pointer: pointer(name))
            }
            return choice
        case let other?: throw wrongType(name, "a string", other)
        }
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, of _: Value.Type) throws(Problem) -> Value? {
        try choice(name, of: Value.allCases.map(\.rawValue)).flatMap(Value.init(rawValue:))
    }

    func choice<Value: Named>(_ name: String, of _: Value.Type) throws(Problem) -> Value? {
        try choice(name, of: Value.names.map(\.name)).flatMap(Value.init(name:))
    }

    /// Reads an object in the member `name`. Only members in `known` are permitted in it.
    func object(_ name: String, known: [String]) throws(Problem) -> JSONObjectReader? {
        guard let value = value(name) else { return nil }
        return try JSONObjectReader(value, known: known, path: path + [name])
    }

    func members(_ name: String) throws(Problem) -> [JSONMember]? {
        switch value(name) {
        case nil: return nil
        case .object(let members)?: return members
        case let other?: throw wrongType(name, "an object", other)
        }
    }

    /// Reads an array of objects, in which only members in `known` are permitted. Throws `tooMany` if there are more than `maximum` objects.
    func objects(_ name: String, known: [String], maximum: Int, tooMany: Problem) throws(Problem) -> [JSONObjectReader]? {
        switch value(name) {
        case nil: return nil
        case .array(let elements)?:
            guard elements.count <= maximum else { throw tooMany }
            var readers: [JSONObjectReader] = []
            readers.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                readers.append(try JSONObjectReader(element, known: known, path: path + [name, String(index)]))
            }
            return readers
        case let other?: throw wrongType(name, "an array", other)
        }
    }

    /// Reads an array of 1 to `maximum` different strings, each of at most `maximumLength` bytes of UTF-8.
    func strings(_ name: String, maximumLength: Int, maximum: Int) throws(Problem) -> [String]? {
        switch value(name) {
        case nil: return nil
        case .array(let elements)?:
            guard (1...maximum).contains(elements.count) else {
                throw Problem(.outOfRange, "\"\(name)\" must have from 1 to \(maximum) elements.", pointer: pointer(name))
            }
            var strings: [String] = []
            var known: Set<OuterText> = []
            for (index, element) in elements.enumerated() {
                let place = JSONPointer.text(path + [name, String(index)])
                guard case .string(let value) = element else {
                    throw Problem(.wrongType, "A string is expected, not \(element.kindName).", pointer: place)
                }
                guard value.utf8.count <= maximumLength else {
                    let code = ProblemCode.tooLong(value, limit: maximumLength, otherwise: .outOfRange)
                    throw Problem(code, "An element may have at most \(maximumLength) bytes of UTF-8.", pointer: place)
                }
                guard known.insert(OuterText(value)).inserted else {
                    throw Problem(.invalidValue, "This element is in the list already.", pointer: place)
                }
                strings.append(value)
            }
            return strings
        case let other?: throw wrongType(name, "an array", other)
        }
    }

    private func value(_ name: String) -> JSONValue? { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    private func jsonNumber(_ name: String) throws(Problem) -> JSONNumber? {
        switch value(name) {
        case nil: return nil
        case .number(let number)?: return number
        case let other?: throw wrongType(name, "a number", other)
        }
    }

    private func wrongType(_ name: String, _ wanted: String, _ given: JSONValue) -> Problem {
        Problem(.wrongType, "\"\(name)\" must be \(wanted), not \(given.kindName).", pointer: pointer(name))
    }
}

/// JSON pointers (RFC 6901).
enum JSONPointer {
    static func text(_ steps: [String]) -> String { steps.reduce(into: "") { $0 += "/" + escaped($1) } }

    private static func escaped(_ step: String) -> String {
        var text = ""
        for scalar in step.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
