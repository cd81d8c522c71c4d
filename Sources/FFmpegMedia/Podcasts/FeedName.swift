import CExpat
import Glibc
import Platform
import PlaybackEngine

/// The name of an element: a namespace and a local name. Both are in the parser's memory, and valid only during its callback.
struct FeedName {
    let namespace: UnsafeRawBufferPointer
    let local: UnsafeRawBufferPointer

    /// - Parameter name: libexpat's text: the namespace, the separator and the local name, or only the local name.
    init(_ name: UnsafePointer<CChar>) {
        let bytes = Self.bytes(name)
        let end = bytes.firstIndex(of: UInt8(FeedBuilder.separator))
        namespace = UnsafeRawBufferPointer(rebasing: bytes[..<(end ?? 0)])
        local = UnsafeRawBufferPointer(rebasing: bytes[(end.map { $0 + 1 } ?? 0)...])
    }

    /// Returns the bytes (UTF-8) of a text that libexpat passes to a callback. They are valid during the callback.
    static func bytes(_ text: UnsafePointer<CChar>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: strlen(text))
    }

    /// Whether the local name equals `name`, including the letter case.
    func isNamed(_ name: StaticString) -> Bool { Self.isEqual(local, name) }

    static func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { $0.count == bytes.count && $0.elementsEqual(bytes) }
    }

    /// Whether the namespace is Apple's for podcasts. Feeds write its address in several letter cases.
    var isApple: Bool {
        let apple: StaticString = "http://www.itunes.com/dtds/podcast-1.0.dtd"
        return apple.withUTF8Buffer { apple in
            apple.count == namespace.count && zip(apple, namespace).allSatisfy { $0 == $1.asciiLowercased }
        }
    }
}

/// The attributes of an element, in the parser's memory: names and values in turn, and nil at the end.
struct FeedAttributes {
    private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>) { self.list = list }

    /// Returns the value of an attribute, without the white space around it; nil if the element has none of this name.
    func value(_ name: StaticString) -> ArraySlice<UInt8>? {
        var index = 0
        while let key = list[index], let value = list[index + 1] {
            if FeedName.isEqual(FeedName.bytes(key), name) { return ListText.trimmed(Array(FeedName.bytes(value))[...]) }
            index += 2
        }
        return nil
    }
}
