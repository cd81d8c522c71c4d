@testable import RemoteControl

/// A parser of the subset of YAML that openapi.yaml uses: block mappings and sequences, flow collections on one line, plain and double-quoted
/// scalars, and literal blocks. All other YAML is an error, so that openapi.yaml stays simple.
struct YAML {
    struct Unreadable: Error, CustomStringConvertible {
        var line: Int
        var reason: String
        var description: String { "openapi.yaml, line \(line): \(reason)" }
    }

    private struct Line {
        var number: Int
        var indent: Int
        var text: Substring
    }

    private var lines: [Line] = []
    private var source: [Substring] = []
    private var index = 0

    static func parse(_ text: String) throws -> JSONValue {
        var reader = YAML()
        reader.source = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in reader.source.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            reader.lines.append(Line(number: number + 1, indent: indent, text: content.hasPrefix("#") ? "" : content))
        }
        let value = try reader.block(indent: 0)
        reader.skipEmpty()
        guard reader.index == reader.lines.count else { throw reader.unreadable("more than one document") }
        return value
    }

    private func unreadable(_ reason: String) -> Unreadable {
        Unreadable(line: index < lines.count ? lines[index].number : lines.count, reason: reason)
    }

    private mutating func skipEmpty() {
        while index < lines.count, lines[index].text.isEmpty { index += 1 }
    }

    private mutating func block(indent: Int) throws -> JSONValue {
        skipEmpty()
        guard index < lines.count, lines[index].indent == indent else { throw unreadable("a block is expected here") }
        return lines[index].text.hasPrefix("- ") ? try sequence(indent: indent) : try mapping(indent: indent)
    }

    private mutating func sequence(indent: Int) throws -> JSONValue {
        var elements: [JSONValue] = []
        while true {
            skipEmpty()
            guard index < lines.count, lines[index].indent == indent, lines[index].text.hasPrefix("- ") else { return .array(elements) }
            let content = lines[index].text.dropFirst(2)
            if content.hasPrefix("{") || content.hasPrefix("[") || Self.keyEnd(content) == nil {
                elements.append(try scalar(content))
                index += 1
            } else {
                // In the line "- key: value", a mapping begins after the dash. So the rest of the line is parsed as a line with two more spaces of
                // indentation.
                lines[index].indent += 2
                lines[index].text = content
                elements.append(try mapping(indent: indent + 2))
            }
        }
    }

    private mutating func mapping(indent: Int) throws -> JSONValue {
        var members: [JSONMember] = []
        while true {
            skipEmpty()
            guard index < lines.count, lines[index].indent == indent, !lines[index].text.hasPrefix("- ") else {
                guard index >= lines.count || lines[index].indent <= indent else { throw unreadable("indented too far") }
                return .object(members)
            }
            let text = lines[index].text
            guard let end = Self.keyEnd(text) else { throw unreadable("a key is expected") }
            guard case .string(let name) = try scalar(text[..<end], isKey: true) else { throw unreadable("a key must be a string") }
            guard !members.contains(where: { $0.name == name }) else { throw unreadable("the key \(name) is a duplicate") }
            let rest = text[text.index(after: end)...].drop { $0 == " " }
            let value: JSONValue
            if rest == "|" {
                value = literal(indent: indent)
            } else if rest.isEmpty {
                index += 1
                skipEmpty()
                guard index < lines.count, lines[index].indent > indent else { throw unreadable("\(name) has no value") }
                value = try block(indent: lines[index].indent)
            } else {
                value = try scalar(rest)
                index += 1
            }
            members.append(JSONMember(name: name, value: value))
        }
    }

    private mutating func literal(indent: Int) -> JSONValue {
        index += 1
        var text: [Substring] = []
        while index < lines.count, lines[index].indent > indent || lines[index].text.isEmpty {
            text.append(source[index].dropFirst(indent + 2))
            index += 1
        }
        while text.last?.isEmpty == true { text.removeLast() }
        return .string(text.joined(separator: "\n") + "\n")
    }

    /// Returns the index of the colon that ends a key; nil if the line has no key.
    private static func keyEnd(_ text: Substring) -> Substring.Index? {
        var rest = text
        if rest.first == "\"" {
            guard let close = rest.dropFirst().firstIndex(of: "\"") else { return nil }
            rest = rest[text.index(after: close)...]
            return rest.first == ":" ? rest.startIndex : nil
        }
        while let colon = rest.firstIndex(of: ":") {
            let next = text.index(after: colon)
            if next == text.endIndex || text[next] == " " { return colon }
            rest = text[next...]
        }
        return nil
    }

    // MARK: One line

    private func scalar(_ text: Substring, isKey: Bool = false) throws -> JSONValue {
        var flow = Flow(rest: text, unreadable: unreadable)
        let value = try flow.value(closing: nil, isKey: isKey)
        guard flow.rest.isEmpty else { throw unreadable("unexpected: \(flow.rest)") }
        return value
    }

    private struct Flow {
        var rest: Substring
        let unreadable: (String) -> Unreadable

        mutating func space() { rest = rest.drop { $0 == " " } }

        mutating func value(closing: Character?, isKey: Bool = false) throws -> JSONValue {
            space()
            switch rest.first {
            case "{":
                rest.removeFirst()
                var members: [JSONMember] = []
                space()
                while rest.first != "}" {
                    guard case .string(let name) = try value(closing: ":", isKey: true), rest.first == ":" else {
                        throw unreadable("a key is expected")
                    }
                    rest.removeFirst()
                    members.append(JSONMember(name: name, value: try value(closing: "}")))
                    try separator(closing: "}")
                }
                rest.removeFirst()
                return .object(members)
            case "[":
                rest.removeFirst()
                var elements: [JSONValue] = []
                space()
                while rest.first != "]" {
                    elements.append(try value(closing: "]"))
                    try separator(closing: "]")
                }
                rest.removeFirst()
                return .array(elements)
            case "\"":
                var end = rest.index(after: rest.startIndex)
                while end < rest.endIndex, rest[end] != "\"" {
                    end = rest.index(end, offsetBy: rest[end] == "\\" ? 2 : 1, limitedBy: rest.endIndex) ?? rest.endIndex
                }
                guard end < rest.endIndex else { throw unreadable("a string is not closed") }
                let value = try JSONParser.parse(Array(rest[...end].utf8))
                rest = rest[rest.index(after: end)...]
                return value
            default:
                var text = closing.map { closing in rest.prefix { $0 != "," && $0 != closing } } ?? rest
                while text.last == " " { text.removeLast() }
                guard let first = text.first, !"&*!|>%@`'".contains(first), !text.contains(" #"), !text.contains(": ") else {
                    throw unreadable("not a plain scalar: \(rest)")
                }
                rest = rest.dropFirst(text.count)
                if isKey { return .string(String(text)) }
                if let value = try? JSONParser.parse(Array(text.utf8)) { return value }
                guard !["yes", "no", "on", "off", "~"].contains(text.lowercased()) else { throw unreadable("quote this: \(text)") }
                return .string(String(text))
            }
        }

        private mutating func separator(closing: Character) throws {
            space()
            if rest.first == "," {
                rest.removeFirst()
                space()
            } else if rest.first != closing {
                throw unreadable("a comma or \(closing) is expected")
            }
        }
    }
}
