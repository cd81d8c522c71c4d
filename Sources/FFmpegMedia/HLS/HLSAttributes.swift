import Platform

/// The list of attributes of a tag (RFC 8216, section 4.2): `NAME=value,NAME="value, with a comma"`. Of a name that is repeated the first value
/// counts.
struct HLSAttributes {
    private var values: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>, hasVariables: Bool)] = []

    /// The greatest number of attributes of a tag.
    private static let limit = 256

    /// Reads a list; nil if it is malformed.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")), values.count < HLSAttributes.limit else { return nil }
            let name = rest[..<equals].withoutOuterBlanks
            rest = rest[(equals + 1)...]
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
                values.append((name, rest[..<quote], true))
                rest = rest[(quote + 1)...].drop { $0 != UInt8(ascii: ",") }
            } else {
                let value = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest[value.endIndex...]
                // Variables are replaced in quoted texts and in hexadecimal numbers.
                values.append((name, value.withoutOuterBlanks, value.starts(with: "{$".utf8)))
            }
        }
    }

    /// The list after the variables in its values were replaced.
    func expanded(_ replace: (ArraySlice<UInt8>) throws(HLSError) -> ArraySlice<UInt8>) throws(HLSError) -> HLSAttributes {
        var list = self
        for index in list.values.indices where list.values[index].hasVariables { list.values[index].value = try replace(list.values[index].value) }
        return list
    }

    /// The value of an attribute, without its quotation marks; nil if there is none.
    func text(_ name: StaticString) -> ArraySlice<UInt8>? {
        name.withUTF8Buffer { name in values.first { $0.name.elementsEqual(name) }?.value }
    }

    func isYes(_ name: StaticString) -> Bool { text(name)?.elementsEqual("YES".utf8) ?? false }
}

/// The variables of a playlist (`EXT-X-DEFINE`).
struct HLSVariables: Sendable, Equatable {
    private var values: [[UInt8]: [UInt8]] = [:]

    /// Defines a variable. Returns false if it is already defined, if its name has other characters than letters, digits, `-` and `_`, or if there
    /// are too many.
    mutating func define(_ name: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
        let isName = !name.isEmpty && name.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard isName, values.count < HLSPlaylist.maximumEntries, values[Array(name)] == nil else { return false }
        values[Array(name)] = value
        return true
    }

    func value(_ name: ArraySlice<UInt8>) -> [UInt8]? { values[Array(name)] }

    /// Replaces each `{$name}` by the value of the variable, in which nothing is replaced; nil if a variable is not defined.
    func expanded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = [], rest = text
        while let brace = rest.firstIndex(of: UInt8(ascii: "{")) {
            output += rest[..<brace]
            rest = rest[brace...]
            guard rest.starts(with: "{$".utf8) else {
                output.append(UInt8(ascii: "{"))
                rest = rest.dropFirst()
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { break }
            guard let value = value(rest[(brace + 2)..<end]) else { return nil }
            output += value
            rest = rest[(end + 1)...]
            // The caller refuses a longer text, which must not grow without limit before.
            if output.count > HLSPlaylist.maximumLine { return output }
        }
        return output + rest
    }

    /// The decoded value of a parameter in the query of a URL; nil if there is none.
    static func parameter(_ name: ArraySlice<UInt8>, in query: String) -> [UInt8]? {
        for part in query.utf8.split(separator: UInt8(ascii: "&")) {
            let key = part.prefix { $0 != UInt8(ascii: "=") }
            guard key.elementsEqual(name) else { continue }
            return PercentEncoding.lenientlyDecodedBytes(String(decoding: part[key.endIndex...].dropFirst(), as: UTF8.self))
        }
        return nil
    }
}
