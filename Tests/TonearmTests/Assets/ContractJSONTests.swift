import Foundation
import Testing

@testable import tonearm

@Suite("The contract in JSON")
struct ContractJSONTests {
    private func converted(_ yaml: String) -> String? { ContractJSON.converted(Array(yaml.utf8)).map { String(decoding: $0, as: UTF8.self) } }

    @Test("mappings, sequences and scalars keep their order and type")
    func values() {
        let yaml = """
            a: { b: [1, -2.5, 0, "3", 007, 1.2.3, 1e5], c: true }
            "200": null
            404: x
            d: |
              two
              lines
            e: "quote \\" and \\\\ and \\u0001 and é"
            f: []
            g: {}
            """
        #expect(
            converted(yaml) == #"{"a":{"b":[1,-2.5,0,"3","007","1.2.3","1e5"],"c":true},"200":null,"404":"x","d":"two\nlines\n","#
                + #""e":"quote \" and \\ and \u0001 and é","f":[],"g":{}}"#)
    }

    @Test("text that is not YAML, and YAML without a form in JSON, is not converted", arguments: ["{", "a: &x 1\nb: *x", "a: !!str 1", "\t- a"])
    func refused(yaml: String) { #expect(converted(yaml) == nil) }

    @Test("the embedded contract is converted to valid JSON with the same paths")
    func contract() throws {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(RemoteAssets.openAPIJSON)) as? [String: Any])
        let paths = try #require(object["paths"] as? [String: Any])
        let lines = String(decoding: RemoteAssets.openAPI, as: UTF8.self).split(separator: "\n")
        #expect(Set(paths.keys) == Set(lines.filter { $0.hasPrefix("  /") && $0.hasSuffix(":") }.map { String($0.dropFirst(2).dropLast()) }))
        #expect((object["info"] as? [String: Any])?["version"] as? String == "0.1.0")
    }
}
