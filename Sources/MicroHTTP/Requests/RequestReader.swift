import CMicroHTTPD
import Glibc
import RemoteControl

/// Reads and checks the head of one request at a time. For libmicrohttpd's thread alone.
final class RequestReader {
    static let maximumFields = 100
    /// RFC 9112 (3) recommends to take at least 8,000 bytes.
    static let maximumTargetSize = 8 << 10

    private let fields = UnsafeMutableBufferPointer<HTTPRequestHead.Field>.allocate(capacity: maximumFields)
    private var count = 0
    /// Where the next line of the head has to begin; nil after a line whose end is none.
    private var nextLine: UnsafeRawPointer?
    private var fault: HTTPRefusalReason?
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private let maximumHeadSize: Int

    /// The announced length of the body; 0 without one. Of the head read last.
    private(set) var contentLength = 0

    init(maximumHeadSize: Int) { self.maximumHeadSize = maximumHeadSize }
    deinit { fields.deallocate() }

    /// Reads the head of a connection's request. What it returns is valid until the callback of the library returns.
    func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: UnsafeRawBufferPointer, peer: HTTPPeer
    ) -> Result<HTTPRequestHead, HTTPRefusalReason> {
        let method = UnsafeRawBufferPointer(start: method, count: strlen(method))
        (count, fault, hosts, lengths, codings, contentLength) = (0, nil, 0, 0, 0, 0)
        let isOld = strcmp(version, "HTTP/1.0") == 0
        let start = method.baseAddress
        // METHOD SP target SP version CRLF.
        let place = start.map { $0 + method.count + 1 + target.count + 1 }
        nextLine = place == UnsafeRawPointer(version) ? Self.lineEnd(after: UnsafeRawPointer(version) + strlen(version)) : nil
        MHD_get_connection_values_n(connection, .HEADER_KIND, readField, Unmanaged.passUnretained(self).toOpaque())

        let size = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee.header_size
        if let fault = faultOfHead(start: start, size: size) { return .failure(fault) }
        if codings > 0 {
            // HTTP/1.0 has no transfer codings: a proxy on the way has confused two messages (RFC 9112, 6.1).
            return .failure(isOld ? .coding : .lengthRequired)
        }
        guard RequestGrammar.isToken(method) else { return .failure(.method) }
        guard target.count <= Self.maximumTargetSize else { return .failure(.targetLength) }
        if let fault = RequestGrammar.fault(inTarget: target) { return .failure(fault) }
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        return .success(
            HTTPRequestHead(
                method: method,
                path: mark.map { UnsafeRawBufferPointer(rebasing: target[..<$0]) } ?? target,
                query: mark.map { UnsafeRawBufferPointer(rebasing: target[($0 + 1)...]) },
                fields: UnsafeBufferPointer(rebasing: fields[..<count]),
                peer: peer, isHTTP10: isOld))
    }

    /// Takes one field; false ends the enumeration.
    func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard count < fields.count else {
            fault = .tooManyFields
            return false
        }
        guard let nameStart = name.baseAddress, let valueStart = value.baseAddress, RequestGrammar.isToken(name) else {
            fault = .fieldName
            return false
        }
        guard RequestGrammar.isFieldValue(value) else {
            fault = .fieldValue
            return false
        }
        // name ":" white space, value, white space CRLF: in one line of the read buffer, unless the line was folded.
        if nameStart == nextLine, valueStart > nameStart + name.count {
            nextLine = Self.lineEnd(after: valueStart + value.count)
        } else {
            nextLine = nil
        }
        let value = RequestGrammar.trimmed(value)
        fields.initializeElement(at: count, to: HTTPRequestHead.Field(name: name, value: value))
        count += 1
        return note(name: name, value: value)
    }

    /// Counts the fields that frame the message.
    private func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4 where name.equalsIgnoringCase("Host"):
            hosts += 1
        case 6 where name.equalsIgnoringCase("Expect"):
            if !value.equalsIgnoringCase("100-continue") { fault = .expectation }
        case 14 where name.equalsIgnoringCase("Content-Length"):
            lengths += 1
            if let length = RequestGrammar.decimal(value) { contentLength = length } else { fault = .length }
        case 17 where name.equalsIgnoringCase("Transfer-Encoding"):
            codings += 1
            if !value.equalsIgnoringCase("chunked") { fault = .coding }
        default:
            break
        }
        return true
    }

    private func faultOfHead(start: UnsafeRawPointer?, size: Int?) -> HTTPRefusalReason? {
        if let size, size > maximumHeadSize { return .headSize(limit: maximumHeadSize) }
        if lengths > 0, codings > 0 { return .lengthAndCoding }
        if lengths > 1 || codings > 1 { return .manyLengths }
        if let fault { return fault }
        // The lines of the head have to follow each other without a byte between them: libmicrohttpd ends strings at a NUL, accepts a bare LF as
        // the end of a line, unfolds lines and skips spaces, each of which another server on the way may read otherwise (request smuggling).
        guard let size, let start, let nextLine, nextLine + 2 == start + size else { return .strayBytes }
        guard hosts > 0 else { return .noHost }
        guard hosts == 1 else { return .manyHosts }
        return nil
    }

    /// The start of the line after the one whose content ends at `end`; nil unless white space and CRLF alone lie between.
    ///
    /// libmicrohttpd writes a NUL at `end`. Up to 0.9.77 the value of a field includes the white space after it, and CR and LF both become NUL;
    /// from 1.0 on the value ends before the white space, and only the first byte after it becomes NUL.
    private static func lineEnd(after end: UnsafeRawPointer) -> UnsafeRawPointer? {
        let bytes = end.assumingMemoryBound(to: UInt8.self)
        guard bytes[0] == 0 else { return nil }
        if bytes[1] == 0 || bytes[1] == UInt8(ascii: "\n") { return end + 2 }
        var index = 1
        while bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t") { index += 1 }
        guard bytes[index] == UInt8(ascii: "\r"), bytes[index + 1] == UInt8(ascii: "\n") else { return nil }
        return end + index + 2
    }
}

extension HTTPRequest {
    /// Makes strings of a head, for a handler. The body is still to come.
    init(_ head: HTTPRequestHead) {
        self.init(
            method: Self.name(ofMethod: head.method),
            path: String(decoding: head.path, as: UTF8.self),
            query: head.query.map { String(decoding: $0, as: UTF8.self) },
            headers: head.fields.map { (name: String(decoding: $0.name, as: UTF8.self), value: String(decoding: $0.value, as: UTF8.self)) },
            peer: head.peer, isHTTP10: head.isHTTP10)
    }

    private static func name(ofMethod bytes: UnsafeRawBufferPointer) -> String {
        if bytes.equals("GET") { return "GET" }
        if bytes.equals("POST") { return "POST" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
