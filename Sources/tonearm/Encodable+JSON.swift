import Foundation

extension Encodable {
    /// On one line, sorted by name; nil for a number that is not finite.
    var jsonLine: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
