import Playlist

/// An error in the form of RFC 9457.
public struct Problem: Error, Sendable {
    public var code: ProblemCode
    /// A sentence for the user about this particular error.
    public var detail: String
    /// The offending member of the body, as a JSON pointer (RFC 6901).
    public var pointer: String?
    /// The offending query parameter.
    public var parameter: String?
    /// The end of the seekable range, in seconds.
    var end: Double?
    /// The failure of the item.
    var failure: PlayerState.Failure?
    /// The methods that the path allows, for 405.
    var allow: String?
    /// The time after which to retry, in seconds, for 429 and 503.
    var retryAfter: Int?
    /// The authentication challenge, for 401 (RFC 9110, section 11.6.1).
    var challenge: String?
    /// The value of a `Set-Cookie` field that deletes a cookie.
    var cookie: String?

    public init(_ code: ProblemCode, _ detail: String, pointer: String? = nil, parameter: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.parameter = parameter
    }

    /// Converts a refusal of the player. `isEmpty`: whether its queue is empty.
    init(_ refusal: PlayerRefusal, isEmpty: Bool = false) {
        switch refusal {
        case .noItem: self.init(.noCurrentItem, "Load an item first.")
        case .notReady: self.init(.itemNotReady, "This request needs the item's duration, which is not known yet.")
        case .notSeekable: self.init(.notSeekable, "The current item does not support this kind of seek.")
        case .outOfRange(let end):
            self.init(.seekOutOfRange, "The target of a seek in this item must be from 0 to \(JSONWriter.text(end)) seconds.")
            self.end = end
        case .itemFailed(let failure): self.init(failure)
        case .rateNotPlayable: self.init(.rateNotPlayable, "The current item cannot be played backwards.", pointer: "/rate")
        case .noEntry: self.init(.entryNotFound, "The queue has no entry with this id.")
        case .noNextEntry: self.init(.noNextEntry, isEmpty ? "The queue is empty." : "No playable entry follows the current one.")
        case .noPreviousEntry: self.init(.noPreviousEntry, isEmpty ? "The queue is empty." : "No entry precedes the current one.")
        case .sessionRefused(let reason): self.init(.sessionRefused, reason)
        case .queueTooLarge(let maximum):
            self.init(.queueTooLarge, "The URLs and titles of a queue have at most \(maximum) bytes.", pointer: "/items")
        case .tooManyEntries(let maximum): self.init(.tooManyEntries, "A queue has at most \(maximum) entries.", pointer: "/items")
        }
    }

    /// Converts a refusal because a memory budget is used up.
    init(busy refusal: HTTPRefusal) {
        self.init(.serverBusy, refusal.detail)
        retryAfter = refusal.retryAfter
    }
    static var unreadAnswers: Problem { Problem(busy: .unreadAnswers) }

    /// Converts the failure of an item.
    init(_ failure: PlayerState.Failure) {
        self.init(.itemFailed, failure.message)
        self.failure = failure
    }

    /// The body, of type `application/problem+json`.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("type", "/problems/" + code.name)
            writer.member("title", code.title)
            writer.member("status", code.status)
            writer.member("detail", detail)
            writer.member("pointer", ifPresent: pointer)
            writer.member("parameter", ifPresent: parameter)
            writer.member("end", ifPresent: end)
            if let failure { writer.member("error", object: failure.write) }
        }
    }

    var response: HTTPResponse {
        var response = HTTPResponse(status: code.status, contentType: "application/problem+json", cache: .noStore, body: json)
        if let retryAfter { response.headers.append(("Retry-After", String(retryAfter))) }
        if code == .upgradeRequired {
            response.headers += [(name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade")]
            response.headers.append(("Sec-WebSocket-Version", "13"))
        }
        if let allow { response.headers.append(("Allow", allow)) }
        if let challenge { response.headers.append(("WWW-Authenticate", challenge)) }
        if let cookie { response.headers.append(("Set-Cookie", cookie)) }
        return response
    }
}
