import CMicroHTTPD
import Glibc
import Platform
import RemoteControl

// The last answer on a connection that the stream loop has.
extension HTTPResponse {
    /// Without `Content-Length`: the body ends with the connection (RFC 9112, 6.3), or HTTP itself does (101).
    var streamHead: [UInt8] { head(contentLength: nil) }

    var lastBytes: [UInt8] {
        guard case .bytes(let body) = body else { return streamHead }
        return head(contentLength: body.count) + body
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

    /// Independent of the locale (RFC 9110, 5.6.7); since 1970.
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
