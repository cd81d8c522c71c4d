import CMicroHTTPD
import RemoteControl

/// An answer as libmicrohttpd's response object, which the library retains while it sends it.
struct Answer: ~Copyable {
    let status: UInt32
    private let response: OpaquePointer

    /// Creates a complete answer. `isLast` closes the connection after it.
    init?(status: Int, headers: [(name: String, value: String)], body: [UInt8], isLast: Bool = false) {
        guard let created = Self.response(body) else { return nil }
        self.status = UInt32(clamping: status)
        response = created
        add(headers)
        if isLast { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// Creates a response that refers to the array's own bytes and releases them at its end, so that many answers share one document. The address of
    /// an array's bytes does not change while the array is retained and not modified.
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

    /// Retains a body while the library needs it.
    final class Content {
        private let body: [UInt8]
        init(_ body: [UInt8]) { self.body = body }
    }

    borrowing func queue(on connection: OpaquePointer) -> MHD_Result { MHD_queue_response(connection, status, response) }

    /// Adds the fields. The library rejects values that would break the message (line feeds), and fields that it sets itself (Content-Length).
    private func add(_ headers: [(name: String, value: String)]) {
        for header in headers { MHD_add_response_header(response, header.name, header.value) }
    }
}

/// A cache of the handlers' prepared answers as response objects. For libmicrohttpd's thread alone.
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

    /// The maximum number of answers: enough for the state, its 304, and the files of a page.
    private static let capacity = 32
    /// The cached answers. Each use moves an entry one place forward, and the last one is replaced.
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
