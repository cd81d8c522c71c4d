import CExpat
import Glibc
import Platform
import PlaybackEngine

/// The adapter to libexpat: it sends the elements of a document to a `FeedBuilder`.
///
/// External entities are never read, because the parser has no handler for them. If a document type has declarations of its own, parsing stops before
/// the first of them, so no entity or default attribute is ever defined.
final class FeedParser {
    private var builder = FeedBuilder()
    private var failure: FeedError?
    /// The name of an encoding that neither libexpat nor `SingleByteEncoding` knows.
    private var unknownEncoding: String?

    private init() {}

    /// Reads a document. Throws if it is not a feed, is malformed, has a document type with declarations, has an unknown encoding, or exceeds a
    /// limit. A document that ends early is no error (`isTruncated`), nor is a feed without an enclosure.
    static func read(_ bytes: [UInt8]) throws(FeedError) -> FeedBuilder {
        let parser = FeedParser()
        let error = parser.parse(bytes, encoding: nil)
        // Some programs declare another encoding than they use, or a name that is not registered (`utf8`). Such a document is read again as UTF-8.
        guard error == XML_ERROR_INCORRECT_ENCODING || parser.unknownEncoding?.utf8.elementsEqual("utf8".utf8) ?? false else {
            return try parser.result()
        }
        let second = FeedParser()
        _ = second.parse(bytes, encoding: "UTF-8")
        return try second.result()
    }

    private func result() throws(FeedError) -> FeedBuilder {
        if let failure { throw failure }
        return builder
    }

    /// Parses a whole document. Returns libexpat's error. `failure` describes it, unless the error is ignored (`explain`).
    private func parse(_ bytes: [UInt8], encoding: String?) -> XML_Error {
        // The separator cannot occur in the address of a namespace, because libexpat refuses such an address.
        guard let parser = XML_ParserCreateNS(encoding, FeedBuilder.separator) else {
            failure = .malformed(line: 1, reason: "out of memory")
            return XML_ERROR_NO_MEMORY
        }
        defer { XML_ParserFree(parser) }
        let document = Self.document(bytes)
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { user, name, attributes in FeedParser.of(user)?.start(name, attributes) }, { user, _ in FeedParser.of(user)?.end() })
        XML_SetCharacterDataHandler(
            parser,
            { user, text, count in
                guard let text else { return }
                FeedParser.of(user)?.text(UnsafeRawBufferPointer(start: text, count: Int(count)))
            })
        XML_SetStartDoctypeDeclHandler(
            parser, { user, _, _, _, hasDeclarations in if hasDeclarations != 0 { FeedParser.of(user)?.fail(.declaresType) } })
        XML_SetUnknownEncodingHandler(
            parser, { user, name, encoding in FeedParser.of(user)?.decode(name, encoding) == true ? 1 : 0 },
            Unmanaged.passUnretained(self).toOpaque())
        current = parser
        defer { current = nil }
        let status = document.withUnsafeBytes { XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count), 1) }
        guard status != XML_STATUS_OK else { return XML_ERROR_NONE }
        let error = XML_GetErrorCode(parser)
        explain(error, line: Int(clamping: CExpat_currentLine(parser)))
        return error
    }

    /// Returns the repaired document without the byte order mark of UTF-8 and the white space that follows at its start. XML does not allow white space
    /// before the declaration, but some programs write it.
    private static func document(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return FeedRepair.repaired(bytes[mark...].drop(while: ListText.isSpace))
    }

    /// libexpat's parser while it runs; otherwise nil.
    private var current: XML_Parser?

    private static func of(_ user: UnsafeMutableRawPointer?) -> FeedParser? {
        user.map { Unmanaged<FeedParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func fail(_ error: FeedError) {
        if failure == nil { failure = error }
        if let current { XML_StopParser(current, XML_Bool(XML_FALSE)) }
    }

    private func start(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard failure == nil, let name, let attributes else { return }
        do throws(FeedError) { try builder.start(FeedName(name), FeedAttributes(attributes)) } catch { fail(error) }
    }

    private func end() {
        guard failure == nil else { return }
        do throws(FeedError) { try builder.end() } catch { fail(error) }
    }

    private func text(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        builder.text(bytes)
    }

    private func decode(_ name: UnsafePointer<CChar>?, _ encoding: UnsafeMutablePointer<XML_Encoding>?) -> Bool {
        guard let name, let encoding else { return false }
        let bytes = Array(FeedName.bytes(name).prefix(64))
        guard let known = SingleByteEncoding(name: bytes) else {
            unknownEncoding = String(decoding: bytes.map { (0x21...0x7E).contains($0) ? $0.asciiLowercased : UInt8(ascii: "?") }, as: UTF8.self)
            return false
        }
        withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            for byte in 0..<256 { map.storeBytes(of: known.scalar(of: UInt8(byte)), toByteOffset: byte * 4, as: Int32.self) }
        }
        (encoding.pointee.data, encoding.pointee.convert, encoding.pointee.release) = (nil, nil, nil)
        return true
    }

    /// Stores the reason of an error of the parser in `failure`. Ignores two kinds of errors: those of a document that ends early, because its
    /// complete entries are valid, and those after the root element.
    private func explain(_ error: XML_Error, line: Int) {
        guard failure == nil, !builder.isComplete else { return }
        switch error {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION, XML_ERROR_PARTIAL_CHAR: break
        case XML_ERROR_UNKNOWN_ENCODING: failure = .encoding(name: unknownEncoding ?? "")
        default: failure = .malformed(line: line, reason: XML_ErrorString(error).map { String(cString: $0) } ?? "error \(error.rawValue)")
        }
    }
}

/// The encoding windows-1252 under names that libexpat does not know. Each byte is one character.
private struct SingleByteEncoding {
    /// The names of windows-1252, and those of ISO 8859-1 that libexpat does not know: the Encoding Standard reads both as windows-1252.
    private static let names = ["windows-1252", "cp1252", "x-cp1252", "latin1", "iso8859-1", "iso88591", "iso_8859-1", "l1"]

    /// - Parameter name: The name in any letter case.
    init?(name: [UInt8]) {
        let name = name.map(\.asciiLowercased)
        guard Self.names.contains(where: { $0.utf8.elementsEqual(name) }) else { return nil }
    }

    func scalar(of byte: UInt8) -> Int32 { Int32(Windows1252.scalar(of: byte).value) }
}

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
