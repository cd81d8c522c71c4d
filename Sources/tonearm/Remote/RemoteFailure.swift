import Foundation

/// Why `tonearm remote` failed, as one line for standard error.
struct RemoteFailure: Error, Hashable, CustomStringConvertible {
    /// The raw value is the exit status.
    enum Kind: Int32, Sendable, Hashable {
        /// By the daemon, or for any reason but `unreachable`.
        case refused = 1
        /// No daemon, or a lost connection.
        case unreachable = 3
    }

    let kind: Kind
    /// One sentence, perhaps from the server, so it must be escaped.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Of a problem document (RFC 9457).
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
