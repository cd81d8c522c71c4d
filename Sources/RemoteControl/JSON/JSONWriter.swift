/// Writes compact JSON. `null` is written only if a parsed document contains it.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    static func object(capacity: Int = 256, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(capacity)
        writer.object(body)
        return writer.bytes
    }

    /// The shortest text from which a reader gets exactly `value` again. Infinity and NaN become 0.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        if value.rounded() == value, abs(value) <= 9_007_199_254_740_992 { return String(Int64(value)) }
        return value.description
    }

    static func text(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    // MARK: Members

    /// - Parameter name: One of the server's own names, which needs no escaping.
    mutating func member(_ name: String, _ value: String) { key(name); string(value) }
    mutating func member(_ name: String, _ value: Bool) { key(name); raw(value ? "true" : "false") }
    mutating func member(_ name: String, _ value: Int) { key(name); raw(String(value)) }
    mutating func member(_ name: String, _ value: Int64) { key(name); raw(String(value)) }
    mutating func member(_ name: String, _ value: Double) { key(name); raw(Self.text(value)) }

    mutating func member(_ name: String, ifPresent value: String?) { if let value { member(name, value) } }
    mutating func member(_ name: String, ifPresent value: Int?) { if let value { member(name, value) } }
    mutating func member(_ name: String, ifPresent value: Int64?) { if let value { member(name, value) } }
    /// Writes a member, unless the value is nil or not finite.
    mutating func member(_ name: String, ifPresent value: Double?) { if let value, value.isFinite { member(name, value) } }

    mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) { key(name); object(body) }

    mutating func member(_ name: String, json: [UInt8]) {
        key(name)
        bytes.append(contentsOf: json)
        needsComma = true
    }

    mutating func member<Elements: Sequence>(_ name: String, array elements: Elements, _ each: (inout JSONWriter, Elements.Element) -> Void) {
        key(name)
        array(elements, each)
    }

    // MARK: Values

    mutating func array<Elements: Sequence>(_ elements: Elements, _ each: (inout JSONWriter, Elements.Element) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { each(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a number; one that is not finite becomes 0.
    mutating func number(_ value: Double) { raw(Self.text(value)) }

    private mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .number(let number): raw(number.text)
        case .string(let text): string(text)
        case .array(let elements):
            separate()
            bytes.append(UInt8(ascii: "["))
            for element in elements { self.value(element) }
            bytes.append(UInt8(ascii: "]"))
            needsComma = true
        case .object(let members):
            object { writer in
                for member in members {
                    writer.string(member.name)
                    writer.bytes.append(UInt8(ascii: ":"))
                    writer.needsComma = false
                    writer.value(member.value)
                }
            }
        }
    }

    private mutating func key(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
