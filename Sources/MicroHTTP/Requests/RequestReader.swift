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
    /// How many bytes of the head are explained by what has been read of it.
    private var explained = 0
    private var fault: HTTPRefusalReason?
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private let maximumHeadSize: Int

    /// The length the body is announced with; 0 where there is none. Of the head read last.
    private(set) var contentLength = 0
    private(set) var isChunked = false

    init(maximumHeadSize: Int) { self.maximumHeadSize = maximumHeadSize }
    deinit { fields.deallocate() }

    /// Reads the head of a connection's request. What it returns is valid until the callback of the library returns.
    func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: UnsafeRawBufferPointer, peer: HTTPPeer
    ) -> Result<HTTPRequestHead, HTTPRefusalReason> {
        let method = UnsafeRawBufferPointer(start: method, count: strlen(method))
        (count, fault, hosts, lengths, codings, contentLength, isChunked) = (0, nil, 0, 0, 0, 0, false)
        // METHOD SP target SP version CRLF, and the empty line.
        explained = method.count + 1 + target.count + 1 + strlen(version) + 4
        let isOld = strcmp(version, "HTTP/1.0") == 0
        MHD_get_connection_values_n(connection, .HEADER_KIND, readField, Unmanaged.passUnretained(self).toOpaque())

        if let fault = faultOfHead(size: CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_REQUEST_HEADER_SIZE)?.pointee.header_size) {
            return .failure(fault)
        }
        // HTTP/1.0 knows no codings: who sends one has been mistaken for another by somebody on the way (RFC 9112, 6.1).
        if isOld, isChunked { return .failure(.coding) }
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
        // name ":" white space, value CRLF: the two lie in one line of the read buffer, unless the line was folded.
        explained += (valueStart - nameStart) + value.count + 2
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
            if value.equalsIgnoringCase("chunked") { isChunked = true } else { fault = .coding }
        default:
            break
        }
        return true
    }

    private func faultOfHead(size: Int?) -> HTTPRefusalReason? {
        if let size, size > maximumHeadSize { return .headSize(limit: maximumHeadSize) }
        if lengths > 0, codings > 0 { return .lengthAndCoding }
        if lengths > 1 || codings > 1 { return .manyLengths }
        if let fault { return fault }
        // Every byte of the head has to be accounted for: libmicrohttpd ends strings at a NUL, takes a bare LF for the end of a line, unfolds lines,
        // and skips spaces, each of which another server on the way may read in another way (request smuggling).
        guard let size, size == explained else { return .strayBytes }
        guard hosts > 0 else { return .noHost }
        guard hosts == 1 else { return .manyHosts }
        return nil
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
