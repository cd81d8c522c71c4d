import CMicroHTTPD
import Glibc
import Platform
import RemoteControl

/// Reads and validates the head of one HTTP request at a time. A `RequestReader` is used only on libmicrohttpd's thread.
final class RequestReader {
    static let maximumFields = 100
    /// The maximum length of a request's target (path and query), in bytes. RFC 9112 (section 3) recommends to accept request lines of at least 8,000
    /// bytes.
    static let maximumTargetSize = 8 << 10

    /// The header fields that were read, without the white space around their values.
    private var headers: [(name: String, value: String)] = []
    /// The address of the first byte after the content of the line that was read last (a line of the request's head); nil if the lines read so far
    /// are not contiguous in memory, so that the request must be refused.
    private var contentEnd: UnsafeRawPointer?
    /// Whether the header field that was read last is `Content-Length`.
    private var isAtLength = false
    /// The last fault in the characters of a header field; nil if there is none.
    private var syntaxFault: HTTPRefusalReason?
    /// The last fault in the value of `Content-Length` or `Transfer-Encoding`; nil if there is none.
    private var fault: HTTPRefusalReason?
    private var isExpectationUnknown = false
    private var hasTooManyFields = false
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private let maximumHeadSize: Int

    /// The announced length of the body of the request whose head was read last, in bytes; 0 if that request has no body.
    private(set) var contentLength = 0

    init(maximumHeadSize: Int) { self.maximumHeadSize = maximumHeadSize }

    /// Reads the head of a connection's current request, and returns the request without its body, or the reason for which the request is refused.
    ///
    /// If a head has several faults, a fault in characters is reported before a fault in meaning, because some versions of libmicrohttpd check
    /// characters first. So the answer is the same with all versions.
    func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: UnsafeRawBufferPointer, peer: HTTPPeer
    ) -> Result<HTTPRequest, HTTPRefusalReason> {
        let method = UnsafeRawBufferPointer(start: method, count: strlen(method))
        (headers, syntaxFault, fault, hosts, lengths, codings, contentLength) = ([], nil, nil, 0, 0, 0, 0)
        (isAtLength, isExpectationUnknown, hasTooManyFields) = (false, false, false)
        defer { headers = [] }
        let isOld = strcmp(version, "HTTP/1.0") == 0
        guard let start = method.baseAddress else { return .failure(.method) }
        // A valid request line is method, space, target, space, version.
        let isPlain = start + method.count + 1 + target.count + 1 == UnsafeRawPointer(version)
        contentEnd = isPlain ? UnsafeRawPointer(version) + strlen(version) : nil
        MHD_get_connection_values_n(connection, .HEADER_KIND, readField, Unmanaged.passUnretained(self).toOpaque())

        let size = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee.header_size ?? 0
        // The lines of a request's head must follow each other without a byte in between. libmicrohttpd alone would end strings at a NUL, accept a
        // bare LF as the end of a line, unfold lines and skip spaces. A proxy may interpret these differently, so an attacker could hide a second
        // request (request smuggling).
        endLine(before: start + size - 2)
        guard contentEnd != nil else { return .failure(.strayBytes) }
        if let syntaxFault { return .failure(syntaxFault) }
        guard RequestGrammar.isToken(method) else { return .failure(.method) }
        if let fault = RequestGrammar.fault(inTarget: target) { return .failure(fault) }
        if let fault = faultOfFields(isOld: isOld) { return .failure(fault) }
        guard target.count <= Self.maximumTargetSize else { return .failure(.targetLength) }
        guard size <= maximumHeadSize else { return .failure(.headSize(limit: maximumHeadSize)) }
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        return .success(
            HTTPRequest(
                method: String(decoding: method, as: UTF8.self), path: String(decoding: target[..<(mark ?? target.endIndex)], as: UTF8.self),
                query: mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }, headers: headers, peer: peer, isHTTP10: isOld))
    }

    /// Validates and stores one header field of the request. Returns false if libmicrohttpd should pass no further header fields.
    func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else {
            contentEnd = nil
            return false
        }
        endLine(before: nameStart)
        // The name, ":", white space and the value of a header field are in one line of the read buffer, unless the line was folded.
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

    /// Records what the later checks need to know about `Host`, `Expect`, `Content-Length` and `Transfer-Encoding`.
    private func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("Host"):
            hosts += 1
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
        // HTTP/1.0 has no transfer codings. If a request of HTTP/1.0 has one, the end of its body is not certain, so the request is refused as
        // malformed (RFC 9112, 6.1).
        return isOld ? .coding : .lengthRequired
    }

    /// Checks that the bytes between the content of the last line and `next`, the start of the following line, are only the end of a line: CRLF, in
    /// strict mode optionally after white space. If they are not, sets `contentEnd` to nil.
    private func endLine(before next: UnsafeRawPointer) {
        guard let end = contentEnd else { return }
        let gap = next - end
        let isEnd: Bool
        if CMicroHTTPD_isStrict() != 0 {
            // In strict mode (from version 1.0 on), libmicrohttpd has already refused everything between two lines except white space and CRLF. It
            // ends a value before the white space, and may have overwritten these bytes.
            isEnd = gap >= 2
            // Older versions of libmicrohttpd refuse white space after the value of `Content-Length`, so `RequestReader` refuses it too.
            if isAtLength, gap > 2 { fault = .length }
        } else {
            // Without strict mode, libmicrohttpd has replaced each byte of the line's end with a NUL, and includes trailing white space in the value
            // of the field.
            isEnd = gap == 2 && end.load(as: UInt8.self) == 0 && end.load(fromByteOffset: 1, as: UInt8.self) == 0
        }
        if !isEnd { contentEnd = nil }
        isAtLength = false
    }

    /// Returns the value of a header field as text in ISO 8859-1, because HTTP gives bytes above ASCII no meaning (RFC 9110, 5.5). In UTF-8, the
    /// bytes could be long runs of combining marks, and each comparison of such strings costs the square of the number of marks. Only the value of
    /// `Tonearm-Client`, the name that the client gives itself, is read as UTF-8; that name is short.
    private static func text(_ value: UnsafeRawBufferPointer, of name: UnsafeRawBufferPointer) -> String {
        if value.allSatisfy({ $0 < 0x80 }) || name.equalsIgnoringCase("Tonearm-Client") { return String(decoding: value, as: UTF8.self) }
        return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }
}
