import CMicroHTTPD
import RemoteControl

/// An answer in libmicrohttpd's form; the library keeps it as long as it sends it.
struct Answer: ~Copyable {
    let status: UInt32
    private let response: OpaquePointer

    /// A complete answer. `isLast` closes the connection after it.
    init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], isLast: Bool = false) {
        guard let created = Self.response(body) else { return nil }
        self.status = UInt32(clamping: status)
        response = created
        add(headers)
        if isLast { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// The library reads the array's own bytes, and lets go of them with the response: many answers of one document share its memory. An array's bytes
    /// stay where they are as long as somebody keeps it and nobody writes to it.
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

    /// A body as long as the library needs it.
    final class Content {
        private let body: [UInt8]
        init(_ body: [UInt8]) { self.body = body }
    }

    borrowing func queue(on connection: OpaquePointer) -> MHD_Result { MHD_queue_response(connection, status, response) }

    /// The library refuses what would break the message (line feeds), and what it says itself (Content-Length).
    private func add(_ headers: [(name: String, value: String)]) {
        for header in headers { MHD_add_response_header(response, header.name, header.value) }
    }
}

/// The answers that handlers keep ready, in libmicrohttpd's form. For its thread alone.
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

    /// Enough for the state, its "not modified", and the files of a page.
    private static let capacity = 32
    /// What is asked for often is near the front.
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
