import Platform

struct JSONSyntaxError: Error, Equatable {
    /// The place of the error, in bytes from the start of the text.
    var offset: Int
    /// The reason for the user, without the offset.
    var reason: String
    /// The JSON pointer of a duplicate member.
    var pointer: String?
}

/// Parses JSON by RFC 8259, but refuses duplicate members, long names, lone surrogates and deep nesting. Every byte may come from an attacker.
///
/// `JSONSerialization` is not used, because its errors have no offsets, and it does not keep the digits of numbers.
struct JSONParser {
    static let maximumDepth = 32
    /// The greatest length of a name, in bytes.
    static let maximumNameLength = 256

    private let bytes: [UInt8]
    private var index = 0
    private var path: [String] = []

    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONSyntaxError(offset: 0, reason: "The text is not valid UTF-8.")
        }
        var parser = JSONParser(bytes: bytes)
        parser.skipSpace()
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == bytes.count else { throw parser.error("The document is followed by other text.") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func error(_ reason: String) -> JSONSyntaxError { JSONSyntaxError(offset: index, reason: reason) }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        switch next {
        case nil: throw error("The document ends before it is complete.")
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let length = text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { $0.elementsEqual(bytes[index..<min(bytes.count, index + length)]) }
        guard matches else { throw error("The text is not a JSON value.") }
        index += length
        return value
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("The document is nested too deeply.") }
        index += 1
        var members: [JSONMember] = []
        var names: Set<OuterText> = []
        skipSpace()
        if next == UInt8(ascii: "}") {
            index += 1
            return .object(members)
        }
        while true {
            guard next == UInt8(ascii: "\"") else { throw error("A member's name is expected.") }
            let start = index
            let name = try string()
            guard name.utf8.count <= Self.maximumNameLength else {
                throw JSONSyntaxError(offset: start, reason: "A member's name has more than \(Self.maximumNameLength) bytes.")
            }
            guard names.insert(OuterText(name)).inserted else {
                throw JSONSyntaxError(offset: start, reason: "A member is given twice.", pointer: JSONPointer.text(path + [name]))
            }
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw error("A colon is expected.") }
            index += 1
            skipSpace()
            path.append(name)
            members.append(JSONMember(name: name, value: try value(depth: depth + 1)))
            path.removeLast()
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                index += 1
                skipSpace()
            case UInt8(ascii: "}"):
                index += 1
                return .object(members)
            default: throw error("A comma or the end of the object is expected.")
            }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("The document is nested too deeply.") }
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            index += 1
            return .array(elements)
        }
        while true {
            path.append(String(elements.count))
            elements.append(try value(depth: depth + 1))
            path.removeLast()
            skipSpace()
            switch next {
            case UInt8(ascii: ","):
                index += 1
                skipSpace()
            case UInt8(ascii: "]"):
                index += 1
                return .array(elements)
            default: throw error("A comma or the end of the array is expected.")
            }
        }
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        if next == UInt8(ascii: "0") {
            index += 1
        } else if skipDigits() == 0 {
            index = start
            throw error("The text is not a JSON value.")
        }
        if next == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw error("A digit is expected.") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard skipDigits() > 0 else { throw error("A digit is expected.") }
        }
        return JSONNumber(text: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next, byte.isASCIIDigit { index += 1 }
        return index - start
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        index += 1
        var text: [UInt8] = []
        while true {
            guard let byte = next else { throw error("A string is not closed.") }
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                text.append(contentsOf: Array(String(Character(try escape())).utf8))
            case 0..<0x20: throw error("A control character in a string must be escaped.")
            default:
                text.append(byte)
                index += 1
            }
        }
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = next else { throw error("A string is not closed.") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard first < 0xDC00, next == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") else {
                throw error("An escaped surrogate is not part of a pair.")
            }
            index += 2
            let second = try hexadecimal()
            guard (0xDC00...0xDFFF).contains(second), let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) else {
                throw error("An escaped surrogate is not part of a pair.")
            }
            return scalar
        default:
            index -= 1
            throw error("The escape sequence is unknown.")
        }
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = byte.hexadecimalValue else { throw error("Four hexadecimal digits are expected.") }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
