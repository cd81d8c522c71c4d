/// Splits a JavaScript file into tokens, to find its imports and exports and to shorten it.
///
/// The whole lexical grammar is covered, with one simplification: whether a slash begins a regular expression or is a division is decided by the
/// token before it. After a closing brace both are possible, so a file with a slash there is refused.
struct ScriptTokens {
    enum Kind: Equatable {
        /// A name, a keyword, or a number.
        case word
        /// One byte of punctuation.
        case mark
        case string
        /// A template literal, including the code in its substitutions (`${…}`).
        case template
        case pattern
        /// White space and comments: `lineGap` if they contain the end of a line, otherwise `gap`.
        case gap
        case lineGap
    }
    struct Token {
        let kind: Kind
        let bytes: ArraySlice<UInt8>

        var text: String { String(decoding: bytes, as: UTF8.self) }
        func `is`(_ mark: Unicode.Scalar) -> Bool { kind == .mark && bytes.first == UInt8(ascii: mark) }
        func `is`(word: StaticString) -> Bool {
            kind == .word && word.withUTF8Buffer { $0.elementsEqual(bytes) }
        }
    }

    /// Returns the tokens of a file.
    static func read(_ bytes: [UInt8], path: String) throws(PageError) -> [Token] {
        var reader = Reader(bytes: bytes, path: path)
        var tokens: [Token] = []
        while let token = try reader.next() { tokens.append(token) }
        return tokens
    }

    private struct Reader {
        let bytes: [UInt8]
        let path: String
        private var offset = 0
        /// The last token that is not a gap.
        private var previous: Token?

        init(bytes: [UInt8], path: String) { (self.bytes, self.path) = (bytes, path) }

        mutating func next() throws(PageError) -> Token? {
            guard offset < bytes.count else { return nil }
            let start = offset
            let kind = try advance()
            let token = Token(kind: kind, bytes: bytes[start..<offset])
            if kind != .gap, kind != .lineGap { previous = token }
            return token
        }

        private func byte(_ distance: Int = 0) -> UInt8? { offset + distance < bytes.count ? bytes[offset + distance] : nil }

        private mutating func advance() throws(PageError) -> Kind {
            let first = bytes[offset]
            if Self.isSpace(first) || isComment { return try gap() }
            if first == UInt8(ascii: "/"), try beginsPattern {
                try pattern()
                return .pattern
            }
            switch first {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                try quoted(first)
                return .string
            case UInt8(ascii: "`"):
                try template()
                return .template
            case _ where Self.isWord(first):
                while let next = byte(), Self.isWord(next) { offset += 1 }
                return .word
            default:
                offset += 1
                return .mark
            }
        }

        private var isComment: Bool { byte() == UInt8(ascii: "/") && (byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*")) }

        private mutating func gap() throws(PageError) -> Kind {
            var hasLine = false
            while let next = byte() {
                if Self.isSpace(next) {
                    hasLine = hasLine || next == UInt8(ascii: "\n")
                    offset += 1
                } else if isComment {
                    let isBlock = byte(1) == UInt8(ascii: "*")
                    offset += 2
                    while let inner = byte(), isBlock ? inner != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") : inner != UInt8(ascii: "\n") {
                        hasLine = hasLine || inner == UInt8(ascii: "\n")
                        offset += 1
                    }
                    if isBlock {
                        guard byte() != nil else { throw unclosed("comment") }
                        offset += 2
                    }
                } else {
                    break
                }
            }
            return hasLine ? .lineGap : .gap
        }

        private mutating func quoted(_ quote: UInt8) throws(PageError) {
            offset += 1
            while let next = byte(), next != quote {
                if next == UInt8(ascii: "\n") { throw unclosed("string") }
                offset += next == UInt8(ascii: "\\") ? 2 : 1
            }
            guard byte() != nil else { throw unclosed("string") }
            offset += 1
        }

        private mutating func template() throws(PageError) {
            offset += 1
            while let next = byte(), next != UInt8(ascii: "`") {
                if next == UInt8(ascii: "$"), byte(1) == UInt8(ascii: "{") {
                    offset += 2
                    try substitution()
                } else {
                    offset += next == UInt8(ascii: "\\") ? 2 : 1
                }
            }
            guard byte() != nil else { throw unclosed("template") }
            offset += 1
        }

        private mutating func substitution() throws(PageError) {
            previous = nil
            var depth = 1
            while let token = try next() {
                if token.is("{") { depth += 1 }
                if token.is("}") { depth -= 1 }
                if depth == 0 { return }
                if token.is(word: "import") { throw PageError(path: path, reason: "import inside a template") }
            }
            throw unclosed("template")
        }

        private mutating func pattern() throws(PageError) {
            offset += 1
            var isClass = false
            while let next = byte(), isClass || next != UInt8(ascii: "/") {
                if next == UInt8(ascii: "\n") { throw unclosed("regular expression") }
                if next == UInt8(ascii: "[") { isClass = true }
                if next == UInt8(ascii: "]") { isClass = false }
                offset += next == UInt8(ascii: "\\") ? 2 : 1
            }
            guard byte() != nil else { throw unclosed("regular expression") }
            offset += 1
            while let next = byte(), Self.isWord(next) { offset += 1 }
        }

        /// Whether a slash at this offset begins a regular expression, rather than being a division.
        private var beginsPattern: Bool {
            get throws(PageError) {
                guard let previous else { return true }
                switch previous.kind {
                case .word: return Self.wordsBeforeOperands.contains(previous.text)
                case .string, .template, .pattern: return false
                case .gap, .lineGap: return true
                case .mark:
                    if previous.is("}") { throw PageError(path: path, reason: "a slash after }, which may be a division or a regular expression") }
                    return !previous.is(")") && !previous.is("]")
                }
            }
        }

        private static let wordsBeforeOperands: Set<String> = [
            "await", "case", "delete", "do", "else", "in", "instanceof", "new", "of", "return", "throw", "typeof", "void", "yield",
        ]

        private func unclosed(_ name: String) -> PageError { PageError(path: path, reason: "a \(name) that does not end") }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

        /// Whether a byte is part of a name or number. All bytes beyond ASCII count: outside of strings they can only be parts of names.
        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
                true
            default: false
            }
        }
    }
}
