import CExpat
import Glibc

/// The receiver of the elements and texts of an XML document.
package protocol XMLHandler {
    /// Called for a start tag. Names are as the document writes them, with their prefix.
    mutating func start(_ name: String, _ attributes: [(name: String, value: String)])
    /// Called for an end tag.
    mutating func end()
    /// Called for a part of a text.
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
    /// Whether the rest of the document is of no use.
    var isFull: Bool { get }
}

/// Reads an XML document with expat. The document is hostile: it may define no entities, its elements have a depth, and names and attributes a length.
package enum XMLReader {
    /// How far a document was read.
    package enum Outcome: Sendable, Equatable {
        case whole
        /// The document is not well-formed, or ends early. What was read before is valid.
        case malformed
        /// The document declares entities or other parts of its own grammar. Nothing after the declaration was read.
        case declaresType
        case tooDeep
        /// The handler was full.
        case stopped
    }

    /// The largest depth of elements.
    package static let maximumDepth = 64
    /// The largest length of a name that is passed on, in bytes. Longer ones are cut.
    static let maximumNameLength = 128
    /// The largest length of the value of an attribute, in bytes. A longer one is passed on as an empty one.
    package static let maximumValueLength = 16 << 10
    /// The largest number of attributes of an element that are passed on.
    static let maximumAttributeCount = 32

    /// Reads a document in UTF-8, whatever encoding it declares.
    package static func read<Handler: XMLHandler>(_ text: UnsafeBufferPointer<UInt8>, into handler: inout Handler) -> Outcome {
        guard let parser = XML_ParserCreate("UTF-8") else { return .malformed }
        defer { XML_ParserFree(parser) }
        let reading = Reading(parser, handler)
        XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
        // The names of HTML (`&nbsp;`) have no definition in a document without a type, which would be an error.
        _ = XML_UseForeignDTD(parser, XML_Bool(XML_TRUE))
        XML_SetElementHandler(parser, xmlStart, xmlEnd)
        XML_SetCharacterDataHandler(parser, xmlText)
        XML_SetStartDoctypeDeclHandler(parser, xmlType)
        XML_SetEntityDeclHandler(parser, xmlEntity)
        // One call with the whole text: nothing is parsed twice, whatever the length of a token.
        let status = text.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32(clamping: $0.count), 1) }
        if let read = reading.handler as? Handler { handler = read }
        return reading.outcome ?? (status == XML_STATUS_OK ? .whole : .malformed)
    }
}

/// The state of one reading, to which expat's functions point.
private final class Reading {
    private let parser: XML_Parser
    private(set) var handler: any XMLHandler
    private var depth = 0
    /// The reason why the reading was stopped; nil if it was not.
    private(set) var outcome: XMLReader.Outcome?

    init(_ parser: XML_Parser, _ handler: any XMLHandler) {
        self.parser = parser
        self.handler = handler
    }

    func stop(_ reason: XMLReader.Outcome) {
        guard outcome == nil else { return }
        outcome = reason
        _ = XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    func start(_ name: UnsafePointer<XML_Char>, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        guard outcome == nil else { return }
        depth += 1
        if depth > XMLReader.maximumDepth { return stop(.tooDeep) }
        var pairs: [(name: String, value: String)] = []
        var index = 0
        while pairs.count < XMLReader.maximumAttributeCount, let key = attributes?[index], let value = attributes?[index + 1] {
            let isLong = strnlen(value, XMLReader.maximumValueLength + 1) > XMLReader.maximumValueLength
            pairs.append((Self.name(key), isLong ? "" : String(cString: value)))
            index += 2
        }
        handler.start(Self.name(name), pairs)
        if handler.isFull { stop(.stopped) }
    }

    func end() {
        guard outcome == nil else { return }
        depth -= 1
        handler.end()
        if handler.isFull { stop(.stopped) }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) { if outcome == nil { handler.text(bytes) } }

    private static func name(_ name: UnsafePointer<XML_Char>) -> String {
        let length = strnlen(name, XMLReader.maximumNameLength)
        return name.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }
}

private func reading(_ data: UnsafeMutableRawPointer?) -> Reading {
    guard let data else { preconditionFailure("The parser was made with its user data.") }
    return Unmanaged<Reading>.fromOpaque(data).takeUnretainedValue()
}

private let xmlStart: XML_StartElementHandler = { data, name, attributes in
    if let name { reading(data).start(name, attributes) }
}

private let xmlEnd: XML_EndElementHandler = { data, _ in reading(data).end() }

private let xmlText: XML_CharacterDataHandler = { data, text, count in
    guard let text, count > 0 else { return }
    text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        reading(data).text(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
}

private let xmlType: XML_StartDoctypeDeclHandler = { data, _, _, _, hasInternalSubset in
    if hasInternalSubset != 0 { reading(data).stop(.declaresType) }
}

private let xmlEntity: XML_EntityDeclHandler = { data, _, _, _, _, _, _, _, _ in reading(data).stop(.declaresType) }
