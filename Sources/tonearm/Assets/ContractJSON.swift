import CYAML

/// Converts the contract (openapi.yaml) from YAML to JSON.
///
/// The contract uses YAML's core schema without anchors, aliases and tags. An unquoted scalar that is spelled like a Boolean, null or a number of
/// JSON (without an exponent) is converted to that, unless it is a key. Every other scalar becomes a string. Mappings keep the order
/// of their members.
enum ContractJSON {
    /// Returns the JSON form of a YAML document as UTF-8, without white space between values; nil if the document is not valid YAML, or uses an
    /// anchor, an alias or a tag.
    static func converted(_ yaml: [UInt8]) -> [UInt8]? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return nil }
        defer { yaml_parser_delete(&parser) }
        return yaml.withUnsafeBufferPointer { bytes in
            yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var writer = Writer(capacity: bytes.count)
            while true {
                var event = yaml_event_t()
                guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
                defer { yaml_event_delete(&event) }
                if event.type == YAML_STREAM_END_EVENT { return writer.output }
                guard writer.write(event) else { return nil }
            }
        }
    }

    /// Writes LibYAML's events as JSON.
    private struct Writer {
        private enum Container { case sequence, mapping }

        private(set) var output: [UInt8] = []
        /// The open sequences and mappings, the innermost last. `count` is the number of values and keys written in each so far.
        private var open: [(container: Container, count: Int)] = []

        init(capacity: Int) { output.reserveCapacity(capacity) }

        /// Writes one event. Returns false if the event has no form in JSON.
        mutating func write(_ event: yaml_event_t) -> Bool {
            switch event.type {
            case YAML_SCALAR_EVENT:
                let scalar = event.data.scalar
                guard scalar.anchor == nil, scalar.tag == nil else { return false }
                separate()
                let text = Array(UnsafeBufferPointer(start: scalar.value, count: scalar.length))
                let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && !isKey
                if isPlain, Self.isLiteral(text) { output += text } else { string(text) }
                advance()
            case YAML_SEQUENCE_START_EVENT: begin(.sequence, "[")
            case YAML_MAPPING_START_EVENT: begin(.mapping, "{")
            case YAML_SEQUENCE_END_EVENT: end("]")
            case YAML_MAPPING_END_EVENT: end("}")
            case YAML_ALIAS_EVENT: return false
            default: break
            }
            return true
        }

        /// Whether the next scalar is the key of a mapping's member.
        private var isKey: Bool { open.last.map { $0.container == .mapping && $0.count.isMultiple(of: 2) } ?? false }

        private mutating func begin(_ container: Container, _ bracket: Unicode.Scalar) {
            separate()
            output.append(UInt8(ascii: bracket))
            open.append((container, 0))
        }

        private mutating func end(_ bracket: Unicode.Scalar) {
            output.append(UInt8(ascii: bracket))
            open.removeLast()
            advance()
        }

        /// Writes the separator before the next value or key: a colon after a key, a comma after another value.
        private mutating func separate() {
            guard let (container, count) = open.last, count > 0 else { return }
            output.append(container == .mapping && !count.isMultiple(of: 2) ? UInt8(ascii: ":") : UInt8(ascii: ","))
        }

        private mutating func advance() {
            if !open.isEmpty { open[open.count - 1].count += 1 }
        }

        private mutating func string(_ text: [UInt8]) {
            output.append(UInt8(ascii: "\""))
            for byte in text {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
                case UInt8(ascii: "\n"): output += "\\n".utf8
                case ..<0x20:
                    let digits = String(byte, radix: 16)
                    output += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
                default: output.append(byte)
                }
            }
            output.append(UInt8(ascii: "\""))
        }

        /// Whether an unquoted scalar is spelled like `true`, `false`, `null` or a number of JSON without an exponent.
        private static func isLiteral(_ text: [UInt8]) -> Bool {
            switch String(decoding: text, as: UTF8.self) {
            case "true", "false", "null": return true
            default: break
            }
            var digits = text[...]
            if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
            let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            let isShort = parts[0].count == 1 || parts[0].first != UInt8(ascii: "0")
            return isShort && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
        }
    }
}
