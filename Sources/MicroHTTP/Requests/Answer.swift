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

/// A cache of prepared HTTP answers as response objects of libmicrohttpd. `PreparedAnswers` is used only on libmicrohttpd's thread.
final class PreparedAnswers {
    private final class Entry {
        let source: PreparedResponse
        let answer: Answer
        init?(_ source: PreparedResponse) {
            guard let answer = Answer(status: source.status, headers: source.headers, body: source.body) else { return nil }
            self.source = source
            self.answer = answer
        }
    }

    /// The maximum number of cached answers: enough for the document of the player's state, the answer 304 to a request for it, and the files of a
    /// page.
    private static let capacity = 32
    /// The cached answers, the more frequently used ones first: each use of an answer exchanges it with the one before it. If the cache is full, a
    /// new answer replaces the last one.
    private var entries: [Entry] = []

    func queue(_ source: PreparedResponse, on connection: OpaquePointer) -> MHD_Result {
        if let index = entries.firstIndex(where: { $0.source === source }) {
            if index > 0 { entries.swapAt(index, index - 1) }
            return entries[max(0, index - 1)].answer.queue(on: connection)
        }
        guard let entry = Entry(source) else { return .NO }
        if entries.count == Self.capacity { entries.removeLast() }
        entries.append(entry)
        return entry.answer.queue(on: connection)
    }
}
