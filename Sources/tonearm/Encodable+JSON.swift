import Foundation

extension Encodable {
    /// The value as JSON on one line, with its members sorted by name; nil if the value contains a number that is not finite.
    var jsonLine: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
