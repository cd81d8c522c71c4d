/// Text from outside (clients, servers, media), compared and hashed by its bytes of UTF-8. `String` normalises the texts that it compares, which
/// takes minutes for a mebibyte of combining marks.
///
/// There is no comparison with `String`. `String(text)` is the text for display; a literal in source code is an `OuterText`.
public struct OuterText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(_ text: String) { description = text }
    public init(stringLiteral text: String) { description = text }

    public var utf8: String.UTF8View { description.utf8 }
    public var isEmpty: Bool { description.isEmpty }

    public static func == (first: OuterText, second: OuterText) -> Bool { first.utf8.elementsEqual(second.utf8) }
    public func hash(into hasher: inout Hasher) {
        var text = description
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    public init(_ text: OuterText) { self = text.description }
}
