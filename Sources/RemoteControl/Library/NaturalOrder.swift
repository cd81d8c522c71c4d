import Platform
import Synchronization
import _FoundationICU

/// The order of names in a language, by Unicode's collation: each letter has the place that the language gives it, case counts only between names
/// that are equal otherwise, and numbers are ordered by their value (`2` before `10`). A leading article is ignored. Names that are equal in this
/// order are ordered by their bytes, so it is a total order of byte strings.
///
/// ICU is that of Swift's Foundation, which the program has in any case, so the order is the same with every Debian.
public final class NaturalOrder: Sendable {
    /// The place of a name in the order of which it is.
    struct Key: Sendable {
        /// The bytes of the name.
        let exact: [UInt8]
        fileprivate let collated: [UInt8]

        func precedes(_ other: Key) -> Bool {
            collated == other.collated ? exact.lexicographicallyPrecedes(other.exact) : collated.lexicographicallyPrecedes(other.collated)
        }
    }

    /// The order for no language.
    public static let standard = NaturalOrder(language: "")
    /// The articles at the start of names, in lower case, by the codes of their languages (ISO 639-1).
    private static let articles: [String: String] = [
        "ca": "el|la|els|les|l'|l’", "de": "der|die|das|ein|eine", "en": "the|a|an", "es": "el|la|los|las|un|una", "fr": "le|la|les|un|une|l'|l’",
        "it": "il|lo|la|i|gli|le|un|uno|una|l'|l’|un'|un’", "nl": "de|het|een", "pt": "o|a|os|as|um|uma",
    ]

    private let locale: String
    /// The articles that are ignored, each with the space or apostrophe after it.
    private let articles: [[UInt8]]
    /// The collator; nil until the first name, because it takes some megabytes.
    private let collator = Mutex<OpaquePointer?>(nil)

    /// - Parameter language: A code, or the name of a locale such as `de_DE.UTF-8`. A language that ICU does not know has the order of no language.
    public init(language: String) {
        locale = String(language.prefix { $0 != "." && $0 != "@" })
        let code = locale.prefix { $0 != "_" && $0 != "-" }.lowercased()
        articles = (Self.articles[code]?.split(separator: "|") ?? []).map { word in
            let isElided = word.hasSuffix("'") || word.hasSuffix("’")
            return Array(word.utf8) + (isElided ? [] : [UInt8(ascii: " ")])
        }
    }

    deinit { collator.withLock { swift_ucol_close($0) } }

    /// The key of a name, which need not be UTF-8.
    func key(_ name: some Collection<UInt8>) -> Key {
        let exact = Array(name)
        let lower = exact.map(\.asciiLowercased)
        let article = articles.first { lower.count > $0.count && lower.starts(with: $0) }
        let text = Array(String(decoding: exact.dropFirst(article?.count ?? 0), as: UTF8.self).utf16)
        let collated = collator.withLock { collator in
            if collator == nil { collator = Self.open(locale) ?? Self.open("") }
            // Without its data, ICU has no order.
            return collator.map { Self.sortKey(text, $0) } ?? lower
        }
        return Key(exact: exact, collated: collated)
    }

    private static func open(_ locale: String) -> OpaquePointer? {
        var status = U_ZERO_ERROR
        guard let collator = swift_ucol_open(locale, &status) else { return nil }
        swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status)
        return collator
    }

    private static func sortKey(_ text: [UInt16], _ collator: OpaquePointer) -> [UInt8] {
        var capacity = 2 * text.count + 16
        while true {
            var length = 0
            let key = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                length = Int(swift_ucol_getSortKey(collator, text, Int32(text.count), buffer.baseAddress, Int32(capacity)))
                count = min(length, capacity)
            }
            if length <= capacity { return key }
            capacity = length
        }
    }
}
