/// The refusal of a request for a reason that the HTTP server itself has found, without the API.
public struct HTTPRefusal: Sendable, Hashable {
    public var status: Int
    /// The last part of the problem's member `type`, which is `/problems/<code>`.
    public var code: String
    public var title: String
    /// One sentence for the user, which repeats no byte of the request.
    public var detail: String
    /// In seconds; nil if waiting does not help.
    public var retryAfter: Int?

    public init(status: Int, code: String, title: String, detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    public static let unreadAnswers = busy("The memory limit for responses that clients have not read is reached.")
    public static let receivedBodies = busy("The memory limit for request bodies that are being received is reached.")

    private static func busy(_ detail: String) -> HTTPRefusal {
        HTTPRefusal(status: 503, code: "server-busy", title: "Server busy", detail: detail, retryAfter: 2)
    }

    /// The refusal as an answer of type `application/problem+json` (RFC 9457).
    public var response: HTTPResponse {
        let members = [("type", "/problems/\(code)"), ("title", title), ("detail", detail)].map { "\"\($0)\":\"\(Self.escaped($1))\"" }
        let body = "{\(members[0]),\(members[1]),\"status\":\(status),\(members[2])}"
        let headers = [(name: "Content-Type", value: "application/problem+json")] + (retryAfter.map { [("Retry-After", String($0))] } ?? [])
        return HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar)
        }
        return result
    }
}
