import CMicroHTTPD
import CMicroHTTPDErrors
import RemoteControl

/// An HTTP answer as a response object of libmicrohttpd. libmicrohttpd retains the response object while it sends the answer.
struct Answer: ~Copyable {
    let status: UInt32
    private let response: OpaquePointer

    /// Creates a complete HTTP answer; nil if libmicrohttpd has no memory for it.
    /// - Parameter isLast: Whether the connection is closed after the HTTP answer.
    init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], isLast: Bool = false) {
        guard let created = Self.response(body) else { return nil }
        self.status = UInt32(clamping: status)
        response = created
        add(headers)
        if isLast { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// Creates a response object of libmicrohttpd that uses the array's own bytes, without a copy, so that many answers share one document. The
    /// response object retains the array as long as it exists, so the bytes keep their address.
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

    /// Retains the body of an HTTP answer while libmicrohttpd needs its bytes.
    final class Content {
        private let body: [UInt8]
        init(_ body: [UInt8]) { self.body = body }
    }

    /// Sends the answer through libmicrohttpd's own `MHD_queue_response`. It is not called by its name, because the program defines a function of the
    /// same name, which replaces the answers that libmicrohttpd makes itself (`CMicroHTTPDErrors`).
    borrowing func queue(on connection: OpaquePointer) -> MHD_Result {
        CMicroHTTPDErrors_queue(connection, status, response) == 0 ? .NO : .YES
    }

    /// Adds header fields to an answer. libmicrohttpd adds no field with a line feed in its value, which would break the message, and no field that
    /// it sets itself (Content-Length).
    private func add(_ headers: [(name: String, value: String)]) {
        for header in headers { MHD_add_response_header(response, header.name, header.value) }
    }
}
