import Platform

/// The header fields that this server uses, collected from a request in one pass.
struct RequestFields: Sendable {
    private(set) var hosts: [String] = []
    private(set) var origins: [String] = []
    private(set) var contentTypes: [String] = []
    private(set) var contentLengths = 0
    private(set) var hasTransferEncoding = false
    private(set) var fetchSites: [String] = []
    private(set) var fetchModes: [String] = []
    private(set) var ifNoneMatch: String?
    private(set) var ifMatch: String?
    private(set) var lastEventID: String?
    private(set) var client: String?
    private(set) var notAfter: [String] = []
    private(set) var authorizations: [String] = []
    private(set) var cookies: [String] = []
    private(set) var idempotencyKeys: [String] = []
    private(set) var acceptEncoding: String?
    private(set) var requestedMethod: String?
    private(set) var asksForPrivateNetwork = false
    /// Whether a proxy states that it forwards the request (RFC 7239).
    private(set) var isForwarded = false
    private(set) var forwardedFor: [String] = []

    init(_ request: HTTPRequest) {
        for (name, value) in request.headers {
            // The length of a name excludes most of the other fields quickly.
            switch name.utf8.count {
            case 4 where name.isField("host"): hosts.append(value)
            case 6 where name.isField("origin"): origins.append(value)
            case 6 where name.isField("cookie"): cookies.append(value)
            case 15 where name.isField("x-forwarded-for"):
                isForwarded = true
                forwardedFor.append(value)
            case 3 where name.isField("via"), 9 where name.isField("forwarded"), 9 where name.isField("x-real-ip"),
                16 where name.isField("x-forwarded-host"):
                isForwarded = true
            case 8 where name.isField("if-match"): ifMatch = Self.joined(ifMatch, value)
            case 12 where name.isField("content-type"): contentTypes.append(value)
            case 13 where name.isField("authorization"): authorizations.append(value)
            case 13 where name.isField("if-none-match"): ifNoneMatch = Self.joined(ifNoneMatch, value)
            case 13 where name.isField("last-event-id"): lastEventID = value
            case 14 where name.isField("content-length"): contentLengths += 1
            case 14 where name.isField("sec-fetch-site"): fetchSites.append(value)
            case 14 where name.isField("sec-fetch-mode"): fetchModes.append(value)
            case 14 where name.isField("tonearm-client"): client = value
            case 15 where name.isField("accept-encoding"): acceptEncoding = Self.joined(acceptEncoding, value)
            case 15 where name.isField("idempotency-key"): idempotencyKeys.append(value)
            case 17 where name.isField("transfer-encoding"): hasTransferEncoding = true
            case 17 where name.isField("tonearm-not-after"): notAfter.append(value)
            case 29 where name.isField("access-control-request-method"): requestedMethod = value
            case 38 where name.isField("access-control-request-private-network"): asksForPrivateNetwork = true
            default: continue
            }
        }
    }

    private static func joined(_ first: String?, _ second: String) -> String { first.map { $0 + "," + second } ?? second }
}

extension String {
    fileprivate func isField(_ name: StaticString) -> Bool { utf8.equalsIgnoringCase(name) }
}
