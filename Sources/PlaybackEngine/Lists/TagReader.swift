import Platform

/// A reader of the tags and texts of XML and of documents that resemble it.
///
/// Most ASX files are not XML: any letter case, attributes without quotes, plain ampersands, missing end tags. The reader accepts any tags, replaces
/// only the five entities of XML and character references, and stops at a document type.
struct TagReader: IteratorProtocol {
    enum Token {
        /// The start of an element, also of one without content. Names are in lower case, without a namespace prefix.
        case start(name: String, attributes: [(name: String, value: String)])
        case end(name: String)
        case text([UInt8])
    }

    private let text: ArraySlice<UInt8>
    private var index: Int
    /// Whether there is a `<!DOCTYPE`, at which the reader stops.
    private(set) var declaresType = false

    /// The greatest numbers of attributes of a tag and of bytes of a name; further ones are ignored.
    private static let maximumAttributeCount = 32
    private static let maximumNameLength = 64

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        index = text.startIndex
    }

    mutating func next() -> Token? {
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "<") else {
                let end = text[index...].firstIndex(of: UInt8(ascii: "<")) ?? text.endIndex
                defer { index = end }
                return .text(ListText.decoded(text[index..<end]))
            }
            let rest = text[index...]
            if rest.starts(with: "<!--".utf8) {
                skip(past: "-->")
            } else if rest.starts(with: "<![CDATA[".utf8) {
                let start = index + "<![CDATA[".utf8.count
                skip(past: "]]>")
                return .text(Array(text[start..<max(start, text[..<index].hasSuffix("]]>") ? index - 3 : index)]))
            } else if ListText.begins(rest, "<!doctype") {
                declaresType = true
                index = text.endIndex
            } else if rest.starts(with: "<!".utf8) || rest.starts(with: "<?".utf8) {
                skip(past: ">")
            } else {
                return tag()
            }
        }
        return nil
    }

    private mutating func skip(past end: StaticString) {
        let first = end.withUTF8Buffer { $0[0] }
        while let found = text[index...].firstIndex(of: first) {
            if ListText.begins(text[found...], end) {
                index = found + end.utf8CodeUnitCount
                return
            }
            index = found + 1
        }
        index = text.endIndex
    }

    private mutating func tag() -> Token {
        index += 1
        let isEnd = index < text.endIndex && text[index] == UInt8(ascii: "/")
        if isEnd { index += 1 }
        let name = name { ListText.isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
        var attributes: [(name: String, value: String)] = []
        while index < text.endIndex, text[index] != UInt8(ascii: ">") {
            guard !ListText.isSpace(text[index]), text[index] != UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let start = index
            let attribute = attribute()
            if attributes.count < Self.maximumAttributeCount { attributes.append(attribute) }
            if index == start { index += 1 }
        }
        index = min(index + 1, text.endIndex)
        return isEnd ? .end(name: name) : .start(name: name, attributes: attributes)
    }

    private mutating func name(until isEnd: (UInt8) -> Bool) -> String {
        let end = text[index...].firstIndex(where: isEnd) ?? text.endIndex
        let whole = text[index..<end]
        index = end
        let local = whole.lastIndex(of: UInt8(ascii: ":")).map { whole[($0 + 1)...] } ?? whole
        return String(decoding: local.prefix(Self.maximumNameLength).map(\.asciiLowercased), as: UTF8.self)
    }

    private mutating func attribute() -> (name: String, value: String) {
        let name = name { ListText.isSpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">") }
        skipSpace()
        guard index < text.endIndex, text[index] == UInt8(ascii: "=") else { return (name, "") }
        index += 1
        skipSpace()
        guard index < text.endIndex else { return (name, "") }
        let quote = text[index]
        let value: ArraySlice<UInt8>
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let end = text[(index + 1)...].firstIndex(of: quote) ?? text.endIndex
            value = text[(index + 1)..<end]
            index = min(end + 1, text.endIndex)
        } else {
            value = text[index...].prefix { !ListText.isSpace($0) && $0 != UInt8(ascii: ">") }
            index = value.endIndex
            // A slash directly before `>` is not a part of the value: it marks an element without content.
            if value.last == UInt8(ascii: "/"), index < text.endIndex, text[index] == UInt8(ascii: ">") {
                return (name, String(decoding: ListText.decoded(value.dropLast()), as: UTF8.self))
            }
        }
        return (name, String(decoding: ListText.decoded(value), as: UTF8.self))
    }

    private mutating func skipSpace() {
        while index < text.endIndex, ListText.isSpace(text[index]) { index += 1 }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ suffix: String) -> Bool { self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }
}
