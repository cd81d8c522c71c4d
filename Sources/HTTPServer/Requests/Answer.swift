import CMicroHTTPD
import Glibc
import Platform
import RemoteControl

/// A response object of libmicrohttpd, which retains the object while it sends the response.
struct Answer: ~Copyable {
    let status: UInt32
    private let response: OpaquePointer

    /// Creates a response; nil if there is no memory.
    /// - Parameter isLast: Whether the connection is closed after the answer.
    init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], isLast: Bool = false) {
        guard let created = Self.response(body) else { return nil }
        self.status = UInt32(clamping: status)
        response = created
        add(headers)
        if isLast { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// Creates a response from the array's own bytes, and retains the array, so that many answers share one document.
    private static func response(_ body: [UInt8]) -> OpaquePointer? {
        guard !body.isEmpty else { return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
        let content = Unmanaged.passRetained(Content(body))
        let created = body.withUnsafeBytes {
            MHD_create_response_from_buffer_with_free_callback_cls(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), releaseContent, content.toOpaque())
        }
        if created == nil { content.release() }
        return created
    }

    /// The body, retained while libmicrohttpd needs it.
    final class Content {
        private let body: [UInt8]
        init(_ body: [UInt8]) { self.body = body }
    }

    borrowing func queue(on connection: OpaquePointer) -> MHD_Result { MHD_queue_response(connection, status, response) }

    /// Adds header fields. libmicrohttpd adds no field with a line feed, and none that it sets itself (Content-Length).
    private func add(_ headers: [(name: String, value: String)]) {
        for header in headers { MHD_add_response_header(response, header.name, header.value) }
    }
}

// The bytes of the last answer on a connection that the stream loop has.
extension HTTPResponse {
    /// The head without `Content-Length`: the body ends with the connection (RFC 9112, 6.3), or HTTP itself does (101).
    var streamHead: [UInt8] { head(contentLength: nil) }

    var lastBytes: [UInt8] {
        guard case .bytes(let body) = body else { return streamHead }
        return lastHead + body
    }

    /// The answer to HEAD.
    var lastHead: [UInt8] {
        guard case .bytes(let body) = body else { return streamHead }
        return head(contentLength: body.count)
    }

    private func head(contentLength: Int?) -> [UInt8] {
        let reason = MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(status) \(reason)\r\nDate: \(Self.date(time_t(SystemWallClock().secondsSince1970)))\r\n"
        if status != 101 { head += "Connection: close\r\n" }
        // Control characters would break the message; libmicrohttpd omits such fields too.
        for (name, value) in headers where !(name + value).utf8.contains(where: { $0 < 0x20 }) { head += "\(name): \(value)\r\n" }
        if let contentLength { head += "Content-Length: \(contentLength)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    /// The value of `Date`, independent of the locale (RFC 9110, 5.6.7), from seconds since 1970.
    private static func date(_ seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday) % 7]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon) % 12]) \(1900 + Int(parts.tm_year)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
