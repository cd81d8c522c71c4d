import Playlist

/// An error as RFC 9457 tells it.
public struct Problem: Error, Sendable {
    public var code: ProblemCode
    /// A sentence for a person about this very case.
    public var detail: String
    /// The member of the body at fault, as a JSON pointer (RFC 6901).
    public var pointer: String?
    /// The query parameter at fault.
    public var parameter: String?
    /// The end of what can be sought, seconds.
    var end: Double?
    /// The item's error.
    var failure: PlayerState.Failure?
    /// The methods that the path has, for 405.
    var allow: String?
    /// When to try again, seconds, for 429 and 503.
    var retryAfter: Int?
    /// How to show who one is, for 401 (RFC 9110, section 11.6.1).
    var challenge: String?
    /// The cookie that is to be forgotten.
    var cookie: String?

    public init(_ code: ProblemCode, _ detail: String, pointer: String? = nil, parameter: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.parameter = parameter
    }

    /// The problem that a refusal of the player is. `isEmpty`: whether its queue is.
    init(_ refusal: PlayerRefusal, isEmpty: Bool = false) {
        switch refusal {
        case .noItem: self.init(.noCurrentItem, "Load an item first.")
        case .notReady: self.init(.itemNotReady, "This needs the item's duration, which is not known yet.")
        case .notSeekable: self.init(.notSeekable, "The current item cannot be moved to another position in this way.")
        case .outOfRange(let end):
            self.init(.seekOutOfRange, "The item can be sought from 0 to \(JSONWriter.text(end)) seconds.")
            self.end = end
        case .itemFailed(let failure): self.init(failure)
        case .rateNotPlayable: self.init(.rateNotPlayable, "The current item cannot be played backwards.", pointer: "/rate")
        case .noEntry: self.init(.entryNotFound, "The queue has no entry of that id.")
        case .noNextEntry: self.init(.noNextEntry, isEmpty ? "The queue is empty." : "Nothing that can be played follows the current entry.")
        case .noPreviousEntry: self.init(.noPreviousEntry, isEmpty ? "The queue is empty." : "Nothing is before the current entry.")
        case .sessionRefused(let reason): self.init(.sessionRefused, reason)
        case .queueTooLarge(let maximum):
            self.init(.queueTooLarge, "The URLs and titles of a queue have at most \(maximum) bytes.", pointer: "/items")
        case .tooManyEntries(let maximum): self.init(.tooManyEntries, "A queue has at most \(maximum) entries.", pointer: "/items")
        }
    }

    /// The problem that some memory is used up.
    init(busy refusal: HTTPRefusal) {
        self.init(.serverBusy, refusal.detail)
        retryAfter = refusal.retryAfter
    }
    static var unreadAnswers: Problem { Problem(busy: .unreadAnswers) }

    /// The problem that an item's failure is.
    init(_ failure: PlayerState.Failure) {
        self.init(.itemFailed, failure.message)
        self.failure = failure
    }

    /// `application/problem+json`.
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
