import CCurl
import Foundation

/// One HTTP request and its response, by libcurl, over a connection of its own.
final class RemoteExchange {
    /// Receives a part of a body. An error ends the exchange.
    typealias Receiver = ([UInt8]) throws(RemoteFailure) -> Void

    /// The largest size of a body that is kept, in bytes; the largest document, a full queue, has about 20 MiB.
    static let maximumBodySize = 64 << 20
    /// The limit for connecting, in seconds.
    private static let connectTimeout = 5
    /// The limit for a response, in seconds: opening a slow output takes up to 5, a medium up to 20.
    private static let timeout = 40
    /// The longest time without any byte of a response that goes to a receiver, in seconds. The server sends a heartbeat every 15 seconds.
    private static let silence = 50

    private let address: RemoteAddress
    private let maximumBodySize: Int
    private let receive: Receiver?
    private let easy: UnsafeMutableRawPointer
    private var body: [UInt8] = []
    /// The error that the receiving callback has thrown; libcurl only reports that the callback has failed.
    private var failure: RemoteFailure?

    private init(_ address: RemoteAddress, maximumBodySize: Int, receive: Receiver?) throws(RemoteFailure) {
        guard let easy = curl_easy_init() else { throw RemoteFailure(.refused, "libcurl cannot be started") }
        self.address = address
        self.maximumBodySize = maximumBodySize
        self.receive = receive
        self.easy = easy
    }

    deinit { curl_easy_cleanup(easy) }

    /// Sends a request, and returns the response with its body. Blocks.
    ///
    /// - Parameter receive: Receives the body of a response with status 200, instead of the caller; the response then has no limit of time.
    static func response(
        to request: RemoteRequest, at address: RemoteAddress, token: String?, maximumBodySize: Int = RemoteExchange.maximumBodySize,
        receive: Receiver? = nil
    ) throws(RemoteFailure) -> RemoteResponse {
        try RemoteExchange(address, maximumBodySize: maximumBodySize, receive: receive).response(to: request, token: token)
    }

    private func response(to request: RemoteRequest, token: String?) throws(RemoteFailure) -> RemoteResponse {
        ccurl_set_text(easy, CURLOPT_URL, "http://\(address.authority)\(address.prefix)\(request.target)")
        ccurl_set_number(easy, CURLOPT_PATH_AS_IS, 1)
        ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        // With an empty text, no proxy is used, whatever the environment says.
        ccurl_set_text(easy, CURLOPT_PROXY, "")
        ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT, Self.connectTimeout)
        if receive == nil {
            ccurl_set_number(easy, CURLOPT_TIMEOUT, Self.timeout)
        } else {
            ccurl_set_number(easy, CURLOPT_LOW_SPEED_LIMIT, 1)
            ccurl_set_number(easy, CURLOPT_LOW_SPEED_TIME, Self.silence)
        }
        if let body = request.body { ccurl_set_text(easy, CURLOPT_COPYPOSTFIELDS, body) }
        ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        var fields: UnsafeMutablePointer<curl_slist>?
        for field in request.fields(token: token) { fields = curl_slist_append(fields, field) }
        defer { curl_slist_free_all(fields) }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields)
        ccurl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context else { return 0 }
            let exchange = Unmanaged<RemoteExchange>.fromOpaque(context).takeUnretainedValue()
            return exchange.take([UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count)))
        }
        ccurl_set_context(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        let code = curl_easy_perform(easy)
        if let failure { throw failure }
        guard code == CURLE_OK else { throw lost(code) }
        return RemoteResponse(status: number(CURLINFO_RESPONSE_CODE), entityTag: field("ETag"), body: body)
    }

    /// Takes a part of the body; returns 0 to end the exchange.
    private func take(_ bytes: [UInt8]) -> Int {
        do throws(RemoteFailure) {
            if let receive, number(CURLINFO_RESPONSE_CODE) == 200 {
                try receive(bytes)
            } else {
                guard body.count + bytes.count <= maximumBodySize else {
                    throw RemoteFailure(.refused, "the response of the server at \(address) is larger than \(maximumBodySize) bytes")
                }
                body += bytes
            }
            return bytes.count
        } catch {
            failure = error
            return 0
        }
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_number(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Returns the value of a field of the response's head; nil if the head has none.
    private func field(_ name: String) -> String? {
        var field: UnsafeMutablePointer<curl_header>?
        guard curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK, let field else { return nil }
        return String(cString: field.pointee.value)
    }

    private func lost(_ code: CURLcode) -> RemoteFailure {
        switch code {
        case CURLE_COULDNT_CONNECT:
            let reason = String(cString: strerror(Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))))
            return RemoteFailure(.unreachable, "no daemon responds at \(address): \(reason); \"tonearm serve\" starts one")
        case CURLE_OPERATION_TIMEDOUT: return RemoteFailure(.unreachable, "the server at \(address) does not respond in time")
        // `CURLE_UNSUPPORTED_PROTOCOL` is libcurl's code for a response without a head.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return RemoteFailure(.refused, "the server at \(address) does not speak HTTP")
        default: return RemoteFailure(.unreachable, "the connection to \(address) failed: \(String(cString: curl_easy_strerror(code)))")
        }
    }
}

/// The reason why `tonearm remote` failed, as one line for standard error.
struct RemoteFailure: Error, Hashable, CustomStringConvertible {
    /// The raw value is the exit status.
    enum Kind: Int32, Sendable, Hashable {
        /// The daemon refused the request, or the command failed for another reason than `unreachable`.
        case refused = 1
        /// No daemon responds, or the connection was lost.
        case unreachable = 3
    }

    let kind: Kind
    /// One sentence, which may come from the server, so it must be escaped.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The failure that a problem document (RFC 9457) reports.
    init(_ response: RemoteResponse, at address: RemoteAddress) {
        struct Problem: Decodable {
            var title: String?
            var detail: String?
            var type: String?
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body.prefix(64 << 10)))
        let text = problem?.detail ?? problem?.title ?? "the server at \(address) responded with status \(response.status)"
        self.init(.refused, response.status == 401 ? "\(text) Name the file with the token: --token-file FILE." : text)
    }
}
