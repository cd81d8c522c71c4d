import Platform
import Testing

@testable import RemoteControl

@Suite struct NaturalOrderTests {
    private static let names = [
        "", "0", "00", "1", "01", "1a", "2", "10", "A", "a", "a1", "a01", "A2", "a10b", "a10", "é", "É", "e\u{301}", "\u{FF}9",
        "the a", "The", "the ",
    ]

    private static func sorted(_ names: [String], _ language: String = "") -> [String] {
        let order = NaturalOrder(language: language)
        return names.sorted { order.key($0.utf8).precedes(order.key($1.utf8)) }
    }

    @Test("accents and case decide only between names that are equal otherwise")
    func accents() {
        let names = ["Eagles", "Éamonn", "Eamonn", "Earth", "Étienne 2", "Etienne 10", "Zaz", "Ólafur", "Otto"]
        #expect(Self.sorted(names.reversed()) == ["Eagles", "Eamonn", "Éamonn", "Earth", "Étienne 2", "Etienne 10", "Ólafur", "Otto", "Zaz"])
        #expect(Self.sorted(["résumé", "Resume", "resumé", "resume"]) == ["resume", "Resume", "resumé", "résumé"])
    }

    @Test(
        "each letter has the place that the language gives it (CLDR)",
        arguments: [
            ("sv_SE.UTF-8", ["Abba", "Orup", "Zoo", "Åsa", "Ängel", "Öst"]), ("da_DK", ["Abe", "Zoo", "Æble", "Ørsted", "Ålborg"]),
            ("de_DE.UTF-8", ["Abba", "Ärzte", "Öst", "Otto", "Sport", "Stark", "Straße", "Strauß", "Zoo"]),
            ("pl", ["Lato", "Lublin", "Łódź", "Maj", "Zoo", "Żuk"]), ("cs_CZ", ["Cyklus", "Čas", "Hrad", "Chata", "Ivan"]),
            ("", ["Łódź", "Lublin", "Ørsted", "Otto", "Straße", "Strauß"]), ("xx", ["Angel", "Ängel", "Zoo"]), ("C", ["Angel", "Ängel", "Zoo"]),
        ])
    func languages(language: String, names: [String]) { #expect(Self.sorted(names.reversed(), language) == names) }

    @Test(
        "a leading article of the language is ignored, and other words are not",
        arguments: [
            ("en", ["The Beatles", "A Camp", "Cars", "An Horse", "Theory", "The"], ["The Beatles", "A Camp", "Cars", "An Horse", "The", "Theory"]),
            ("de_DE.UTF-8", ["Die Ärzte", "Die", "The Beatles", "Ätna", "Bap"], ["Die Ärzte", "Ätna", "Bap", "Die", "The Beatles"]),
            ("fr", ["L’Affaire", "Les Wampas", "Air", "Zaz"], ["L’Affaire", "Air", "Les Wampas", "Zaz"]),
            ("none", ["The Beatles", "Cars"], ["Cars", "The Beatles"]), ("C.UTF-8", ["The Beatles", "Cars"], ["Cars", "The Beatles"]),
        ])
    func articles(language: String, names: [String], expected: [String]) { #expect(Self.sorted(names, language) == expected) }

    @Test("the order is total: of two different names one precedes the other, and the order is transitive")
    func total() {
        let english = NaturalOrder(language: "en")
        let texts = Self.names.map { Array($0.utf8) } + [[0xE9], [0xE9, 0x31], [0xFF]]
        let keys = texts.map { english.key($0) }
        for a in keys {
            for b in keys {
                #expect(a.precedes(b) != b.precedes(a) || a.exact == b.exact)
                for c in keys where a.precedes(b) && b.precedes(c) { #expect(a.precedes(c)) }
            }
        }
    }
}
