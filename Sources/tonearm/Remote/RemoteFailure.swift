import Foundation

/// The reason why a command of `tonearm remote` failed, as one line for standard error.
struct RemoteFailure: Error, Hashable, CustomStringConvertible {
    /// The kind of a failure, which determines the exit status of the program.
    enum Kind: Int32, Sendable, Hashable {
        /// The daemon refused the command, or the command failed for any other reason than `unreachable`.
        case refused = 1
        /// No daemon responds, or the connection to it was lost.
        case unreachable = 3
    }

    let kind: Kind
    /// One sentence about the failure. The sentence may contain text from the server, so it must be escaped before it is printed.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Converts the problem document of a response (RFC 9457) to a failure.
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
