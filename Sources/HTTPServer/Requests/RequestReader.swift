import CMicroHTTPD
import Glibc
import Platform
import RemoteControl

/// Reads and validates one head at a time, on libmicrohttpd's thread.
final class RequestReader {
    static let maximumFields = 100
    /// The largest size of a target, in bytes; RFC 9112 (section 3) recommends at least 8,000.
    static let maximumTargetSize = 8 << 10

    /// The header fields, without white space around the values.
    private var headers: [(name: String, value: String)] = []
    /// The end of the last line's content; nil if the lines are not contiguous, so that the request must be refused.
    private var contentEnd: UnsafeRawPointer?
    /// Whether the last field is `Content-Length`.
    private var isAtLength = false
    /// A fault in the characters of a field.
    private var syntaxFault: HTTPRefusalReason?
    /// A fault in `Content-Length` or `Transfer-Encoding`.
    private var fault: HTTPRefusalReason?
    private var isExpectationUnknown = false
    private var hasTooManyFields = false
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    /// The memory that libmicrohttpd has used for the parsed fields and cookies, in bytes.
    private var parsedSize = 0
    private let maximumHeadSize: Int
    /// The memory that a head may use before and after it was parsed, in bytes.
    private let memory: Int

    /// The value of `Content-Length`, in bytes; 0 if the request has no body.
    private(set) var contentLength = 0

    /// The memory that libmicrohttpd uses for each parsed field and each cookie, in bytes.
    private static let recordSize = 64
    /// The memory that libmicrohttpd needs for the head of an answer, in bytes.
    private static let answerSize = 2 << 10

    /// - Parameter connectionMemory: libmicrohttpd's memory for a connection, in bytes.
    init(maximumHeadSize: Int, connectionMemory: Int) {
        self.maximumHeadSize = maximumHeadSize
        memory = connectionMemory - Self.answerSize
    }

    /// Reads a request without its body. A fault in the characters is reported before a fault in the meaning, as some versions of libmicrohttpd
    /// check, so that all versions give the same answer.
    func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: UnsafeRawBufferPointer, peer: HTTPPeer
    ) -> Result<HTTPRequest, HTTPRefusalReason> {
        let method = UnsafeRawBufferPointer(start: method, count: strlen(method))
        (headers, syntaxFault, fault, hosts, lengths, codings, contentLength, parsedSize) = ([], nil, nil, 0, 0, 0, 0, 0)
        (isAtLength, isExpectationUnknown, hasTooManyFields) = (false, false, false)
        defer { headers = [] }
        let isOld = strcmp(version, "HTTP/1.0") == 0
        guard let start = method.baseAddress else { return .failure(.method) }
        // The request line is plain if its parts follow each other directly: method, space, target, space, version.
        let isPlain = start + method.count + 1 + target.count + 1 == UnsafeRawPointer(version)
        contentEnd = isPlain ? UnsafeRawPointer(version) + strlen(version) : nil
        MHD_get_connection_values_n(connection, .HEADER_KIND, readField, Unmanaged.passUnretained(self).toOpaque())

        let size = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee.header_size ?? 0
        // libmicrohttpd alone would end strings at a NUL, accept a bare LF, unfold lines and skip spaces. A proxy may read such a request
        // differently, so an attacker could hide a second request (request smuggling).
        endLine(before: start + size - 2)
        guard contentEnd != nil else { return .failure(.strayBytes) }
        if let syntaxFault { return .failure(syntaxFault) }
        guard RequestGrammar.isToken(method) else { return .failure(.method) }
        if let fault = RequestGrammar.fault(inTarget: target) { return .failure(fault) }
        if let fault = faultOfFields(isOld: isOld) { return .failure(fault) }
        guard target.count <= Self.maximumTargetSize else { return .failure(.targetLength) }
        guard size <= maximumHeadSize else { return .failure(.headSize(limit: maximumHeadSize)) }
        guard size + parsedSize <= memory else { return .failure(.tooManyCookies) }
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        return .success(
            HTTPRequest(
                method: String(decoding: method, as: UTF8.self), path: String(decoding: target[..<(mark ?? target.endIndex)], as: UTF8.self),
                query: mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }, headers: headers, peer: peer, isHTTP10: isOld))
    }

    /// Takes one header field. Returns false if no further fields are needed.
    func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else {
            contentEnd = nil
            return false
        }
        endLine(before: nameStart)
        // Name and value are in one line of the read buffer, unless the line was folded.
        guard contentEnd != nil, valueStart > nameStart + name.count else {
            contentEnd = nil
            return false
        }
        contentEnd = valueStart + value.count
        if !RequestGrammar.isToken(name) { syntaxFault = .fieldName }
        if !RequestGrammar.isFieldValue(value) { syntaxFault = .fieldValue }
        let value = RequestGrammar.trimmed(value)
        note(name: name, value: value)
        if headers.count < Self.maximumFields {
            headers.append((String(decoding: name, as: UTF8.self), Self.text(value, of: name)))
        } else {
            hasTooManyFields = true
        }
        return true
    }

    private func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        parsedSize += Self.recordSize
        switch name.count {
        case 4 where name.equalsIgnoringCase("Host"):
            hosts += 1
        case 6 where name.equalsIgnoringCase("Cookie"):
            // libmicrohttpd divides a copy of the value.
            let cookies = 1 + value.count { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
            parsedSize += value.count + cookies * Self.recordSize
        case 6 where name.equalsIgnoringCase("Expect"):
            if !value.equalsIgnoringCase("100-continue") { isExpectationUnknown = true }
        case 14 where name.equalsIgnoringCase("Content-Length"):
            lengths += 1
            isAtLength = true
            if let length = RequestGrammar.decimal(value) { contentLength = length } else { fault = .length }
        case 17 where name.equalsIgnoringCase("Transfer-Encoding"):
            codings += 1
            if !value.equalsIgnoringCase("chunked") { fault = .coding }
        default:
            break
        }
    }

    private func faultOfFields(isOld: Bool) -> HTTPRefusalReason? {
        guard hosts > 0 else { return .noHost }
        guard hosts == 1 else { return .manyHosts }
        if lengths > 0, codings > 0 { return .lengthAndCoding }
        if lengths > 1 || codings > 1 { return .manyLengths }
        if let fault { return fault }
        if hasTooManyFields { return .tooManyFields }
        if isExpectationUnknown { return .expectation }
        guard codings > 0 else { return nil }
        // HTTP/1.0 has no transfer codings, so the end of the body is not certain (RFC 9112, 6.1).
        return isOld ? .coding : .lengthRequired
    }

    /// Ends the last line: before `next` there may be only CRLF, in libmicrohttpd's strict mode also white space before it.
    private func endLine(before next: UnsafeRawPointer) {
        guard let end = contentEnd else { return }
        let gap = next - end
        let isEnd: Bool
        if CMicroHTTPD_isStrict() != 0 {
            // From its version 1.0 on, libmicrohttpd has refused everything else, and may have overwritten these bytes.
            isEnd = gap >= 2
            // White space after the length is refused, as by older versions of libmicrohttpd.
            if isAtLength, gap > 2 { fault = .length }
        } else {
            // libmicrohttpd has replaced each byte of the line's end by NUL; trailing white space is part of the value.
            isEnd = gap == 2 && end.load(as: UInt8.self) == 0 && end.load(fromByteOffset: 1, as: UInt8.self) == 0
        }
        if !isEnd { contentEnd = nil }
        isAtLength = false
    }

    /// Decodes ISO 8859-1, because HTTP gives bytes above ASCII no meaning (RFC 9110, 5.5): in UTF-8 they could be long runs of combining marks, slow
    /// to compare. Only `Tonearm-Client`, which is short, is UTF-8.
    private static func text(_ value: UnsafeRawBufferPointer, of name: UnsafeRawBufferPointer) -> String {
        if value.allSatisfy({ $0 < 0x80 }) || name.equalsIgnoringCase("Tonearm-Client") { return String(decoding: value, as: UTF8.self) }
        return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }
}

/// The grammar of requests (RFC 9110, 5.6.2; RFC 9112, 3.2; RFC 3986, 2.1).
enum RequestGrammar {
    private static let isTokenByte: [Bool] = (0..<256).map { value in
        let byte = UInt8(value)
        return byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Whether the bytes can be a method or the name of a field.
    static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && isTokenByte.withUnsafeBufferPointer { table in bytes.allSatisfy { table[Int($0)] } }
    }

    /// Whether the bytes contain no control character except the tab.
    static func isFieldValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Removes trailing white space. libmicrohttpd removes leading white space, and from 1.0 on trailing too.
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0x20 || bytes[count - 1] == 0x09 { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// Checks a target, which must be a path with an optional query (origin form); returns nil if it is valid.
    static func fault(inTarget bytes: UnsafeRawBufferPointer) -> HTTPRefusalReason? {
        guard bytes.first == UInt8(ascii: "/") else { return .targetForm }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return .targetCharacter }
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
                else { return .targetEscape }
                guard high != 0 || low != 0 else { return .targetNUL }
                index += 2
            }
            index += 1
        }
        return nil
    }

    /// Parses a number without sign.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
        var value = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
