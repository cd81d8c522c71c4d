import PlaybackEngine
import Player

/// An error of the API, in the form of RFC 9457.
public struct Problem: Error, Sendable {
    public var code: ProblemCode
    /// A sentence for the user about the particular occurrence of the error.
    public var detail: String
    /// The member of the request's body that caused the error, as a JSON pointer (RFC 6901); nil if no member caused the error.
    public var pointer: String?
    /// The name of the query parameter that caused the error; nil if no parameter caused the error.
    public var parameter: String?
    /// The largest permitted position in the item, in seconds; nil if the error is not that of a position.
    var end: Double?
    /// The failure of the item; nil if the error does not concern a failed item.
    var failure: PlayerState.Failure?
    /// The failure with which an entry is kept in the queue although its medium has this problem; nil if `code` alone determines the failure.
    var reason: PlaybackError.Code?
    /// The present entity tag of the resource that the request would have changed; nil if the error does not concern a precondition.
    var entityTag: String?
    /// The id of the present current entry; nil if the error does not concern the current entry, or if no entry is current.
    var currentID: String?
    /// The problems of the entries of the request that cannot be played, at most `maximumEntryCount`; the first one repeats this problem. Empty if
    /// the error has another reason.
    var entries: [Problem] = []
    /// The maximum number of problems in `entries`. If more entries of a request cannot be played, one problem is thrown alone, that of the first
    /// entry beyond this number.
    static let maximumEntryCount = 100
    /// Whether the request had changed the player before it failed, so that it must not be carried out again.
    var followsChange = false
    /// The methods that the path allows, for status 405; otherwise nil.
    var allow: String?
    /// The time, in seconds, after which the client may retry, for status 429 and 503; nil if the answer states no such time.
    var retryAfter: Int?
    /// The authentication challenge, for status 401 (RFC 9110, section 11.6.1); otherwise nil.
    var challenge: String?
    /// The value of a `Set-Cookie` field that deletes the session cookie; nil if no cookie is deleted.
    var cookie: String?

    public init(_ code: ProblemCode, _ detail: String, pointer: String? = nil, parameter: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.parameter = parameter
    }

    /// Creates the problem of a request whose precondition (`If-Match`) is not fulfilled.
    /// - Parameter present: The present tag of the resource; nil if the resource does not exist.
    init(_ code: ProblemCode, _ detail: String, present: ResourceTag?) {
        self.init(code, detail)
        entityTag = present?.text
    }

    /// Converts a refusal of the player to a problem.
    /// - Parameter isEmpty: Whether the player's queue is empty.
    init(_ refusal: PlayerRefusal, isEmpty: Bool = false) {
        switch refusal {
        case .shutDown:
            self.init(.serverBusy, "The server stops; nothing was changed.")
            retryAfter = 1
        case .noItem: self.init(.noCurrentItem, "Load an item first.")
        case .notReady: self.init(.itemNotReady, "This request needs the item's duration, which is not known yet.")
        case .notSeekable: self.init(.notSeekable, "The current item does not support this kind of seek.")
        case .outOfRange(let end):
            self.init(.seekOutOfRange, "The target of a seek in this item must be from 0 to \(JSONWriter.text(end)) seconds.")
            self.end = end
        case .startInPast: self.init(.startOutOfRange, "The moment of the start has passed.")
        case .startTooLate(let maximum): self.init(.startOutOfRange, "A start may be at most \(JSONWriter.text(maximum / 86_400)) days ahead.")
        case .alreadyPlaying: self.init(.alreadyPlaying, "A start at a moment needs a paused player. Send pause first.")
        case .loopTooShort(let minimum):
            self.init(.loopTooShort, "A loop must last at least \(JSONWriter.text(minimum)) seconds.", pointer: "/end")
        case .itemFailed(let failure): self.init(failure)
        case .rateNotPlayable: self.init(.rateNotPlayable, "The current item cannot be played backwards.", pointer: "/rate")
        case .noEntry: self.init(.entryNotFound, "The queue has no entry with this id.")
        case .noNextEntry: self.init(.noNextEntry, isEmpty ? "The queue is empty." : "No playable entry follows the current one.")
        case .noPreviousEntry: self.init(.noPreviousEntry, isEmpty ? "The queue is empty." : "No entry precedes the current one.")
        case .noEntryAt(let index): self.init(.entryNotFound, "The queue has no entry with this id.", pointer: "/ids/\(index)")
        case .nothingToUndo: self.init(.nothingToUndo, "No edit of the queue is left to undo.")
        case .nothingToRedo: self.init(.nothingToRedo, "No edit of the queue was undone since the last edit.")
        case .startOutside(let index, let end):
            self.init(
                .seekOutOfRange, "The start of this medium must be from 0 to \(JSONWriter.text(end)) seconds.",
                pointer: index.map { "/entries/\($0)/startTime" } ?? "/startTime")
            self.end = end
        case .queueTooLarge(let maximum):
            self.init(.queueTooLarge, "The URLs and titles of a queue have at most \(maximum) bytes.", pointer: "/entries")
        case .tooManyEntries(let maximum): self.init(.tooManyEntries, "A queue has at most \(maximum) entries.", pointer: "/entries")
        }
    }

    /// Creates the problem of a request that is refused because a memory budget is used up.
    private init(busy detail: String) {
        self.init(.serverBusy, detail)
        retryAfter = 2
    }
    public static let unreadAnswers = Problem(busy: "The memory limit for responses that clients have not read is reached.")
    public static let receivedBodies = Problem(busy: "The memory limit for request bodies that are being received is reached.")

    /// Converts the failure of an item to a problem.
    init(_ failure: PlayerState.Failure) {
        self.init(.itemFailed, failure.message)
        self.failure = failure
    }

    /// Returns this problem with the query parameter `name` as its cause, in place of a member of the body.
    func inParameter(_ name: String) -> Problem {
        var problem = self
        (problem.pointer, problem.parameter) = (nil, name)
        return problem
    }

    /// The body of the answer with the problem, of type `application/problem+json`.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("type", "/problems/" + code.name)
            writer.member("title", code.title)
            writer.member("status", code.status)
            writer.member("detail", detail)
            writer.member("pointer", ifPresent: pointer)
            writer.member("parameter", ifPresent: parameter)
            writer.member("end", ifPresent: end)
            writer.member("entityTag", ifPresent: entityTag)
            writer.member("currentId", ifPresent: currentID)
            if let failure { writer.member("error", object: failure.write) }
            if !entries.isEmpty {
                writer.member("entries", array: entries) { writer, problem in
                    writer.object { writer in
                        writer.member("type", "/problems/" + problem.code.name)
                        writer.member("detail", problem.detail)
                        writer.member("pointer", ifPresent: problem.pointer)
                    }
                }
            }
        }
    }

    var response: HTTPResponse {
        var response = HTTPResponse(status: code.status, contentType: "application/problem+json", cache: .noStore, body: json)
        if let entityTag { response.headers.append(("ETag", entityTag)) }
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
