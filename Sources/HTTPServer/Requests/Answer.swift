import CMicroHTTPD
import CMicroHTTPDErrors
import RemoteControl

/// A response object of libmicrohttpd, which retains it while it sends.
struct Answer: ~Copyable {
    let status: UInt32
    private let response: OpaquePointer

    /// Nil if there is no memory.
    /// - Parameter isLast: Closes the connection afterwards.
    init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], isLast: Bool = false) {
        guard let created = Self.response(body) else { return nil }
        self.status = UInt32(clamping: status)
        response = created
        add(headers)
        if isLast { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// Uses the array's own bytes, which it retains, so that many answers share one document.
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

    /// Retained while libmicrohttpd needs it.
    final class Content {
        private let body: [UInt8]
        init(_ body: [UInt8]) { self.body = body }
    }

    /// Not called by its name, because the program defines `MHD_queue_response` itself, for libmicrohttpd's own answers (`CMicroHTTPDErrors`).
    borrowing func queue(on connection: OpaquePointer) -> MHD_Result {
        CMicroHTTPDErrors_queue(connection, status, response) == 0 ? .NO : .YES
    }

    /// libmicrohttpd adds no field with a line feed, and none that it sets itself (Content-Length).
    private func add(_ headers: [(name: String, value: String)]) {
        for header in headers { MHD_add_response_header(response, header.name, header.value) }
    }
}
