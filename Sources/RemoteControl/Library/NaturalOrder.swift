import Foundation
import Platform

/// The order of names regardless of case, accents and a leading article, and with numbers ordered by their value (`2` before `10`). Names that differ
/// only in these are ordered by them. It is a total order of byte strings.
enum NaturalOrder {
    struct Key: Sendable {
        /// The bytes of the name, which decide if all else is equal.
        let exact: [UInt8]
        /// The name in lower case; only ASCII letters change if the name is not UTF-8.
        private let folded: [UInt8]
        /// The name in lower case without accents and its leading article.
        private let base: [UInt8]

        init(_ name: some Collection<UInt8>, without articles: Articles = .none) {
            exact = Array(name)
            let isASCII = exact.allSatisfy { $0 < 0x80 }
            let text = isASCII ? nil : String(validating: exact, as: UTF8.self)
            let lower = text.map { Array($0.lowercased().utf8) } ?? exact.map(\.asciiLowercased)
            folded = lower == exact ? exact : lower
            // The options are those of a search that ignores accents, so that É is beside E.
            let plain = text.map { Array($0.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil).utf8) }
            let whole = plain ?? folded
            let article = articles.length(in: whole)
            base = article == 0 ? whole : Array(whole.dropFirst(article))
        }

        func precedes(_ other: Key) -> Bool {
            let order = NaturalOrder.compare(base, other.base)
            if order != 0 { return order < 0 }
            let detail = NaturalOrder.compare(folded, other.folded)
            return detail != 0 ? detail < 0 : exact.lexicographicallyPrecedes(other.exact)
        }
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { compare(a, $0) } }
    }

    /// Compares folded names.
    private static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            if a[i].isASCIIDigit, b[j].isASCIIDigit {
                let first = digits(a, &i)
                let second = digits(b, &j)
                if first.count != second.count { return first.count - second.count }
                for (x, y) in zip(first, second) where a[x] != b[y] { return Int(a[x]) - Int(b[y]) }
            } else {
                if a[i] != b[j] { return Int(a[i]) - Int(b[j]) }
                i += 1
                j += 1
            }
        }
        return (a.count - i) - (b.count - j)
    }

    /// The range of the digits without leading zeros; `index` moves to the byte after them.
    private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Range<Int> {
        while index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 }
        let start = index
        while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
        return start..<index
    }
}

/// The articles at the start of names that the order of a language ignores, in lower case, each with the space or apostrophe after it.
public struct Articles: Sendable, Hashable {
    public static let none = Articles(words: [])
    private static let words: [String: String] = [
        "ca": "el|la|els|les|l'|l’", "de": "der|die|das|ein|eine", "en": "the|a|an", "es": "el|la|los|las|un|una", "fr": "le|la|les|un|une|l'|l’",
        "it": "il|lo|la|i|gli|le|un|uno|una|l'|l’|un'|un’", "nl": "de|het|een", "pt": "o|a|os|as|um|uma",
    ]
    /// The languages with articles, by their codes (ISO 639-1).
    public static let languages = words.keys.sorted()

    private let words: [[UInt8]]
    private init(words: [[UInt8]]) { self.words = words }

    /// - Parameter language: A code, or the name of a locale such as `de_DE.UTF-8`. A language without articles has none.
    public init(language: String) {
        let code = language.prefix { $0 != "_" && $0 != "." && $0 != "-" && $0 != "@" }.lowercased()
        let known = Self.words[code]?.split(separator: "|") ?? []
        let words = known.map { word -> [UInt8] in
            let isElided = word.hasSuffix("'") || word.hasSuffix("’")
            return Array(word.utf8) + (isElided ? [] : [UInt8(ascii: " ")])
        }
        self.init(words: words)
    }

    /// The length of the article before the rest of a name, in bytes; 0 without one.
    func length(in name: [UInt8]) -> Int { words.first { name.count > $0.count && name.starts(with: $0) }?.count ?? 0 }
}
