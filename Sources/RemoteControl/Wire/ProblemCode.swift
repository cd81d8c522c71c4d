/// The kind of a problem (an error of the API), with an HTTP status and a title. The name of the kind is the last part of the problem's `type`, and
/// never changes.
public struct ProblemCode: Sendable, Hashable {
    public let name: String
    public let status: Int
    public let title: String

    private init(_ name: String, _ status: Int, _ title: String) {
        self.name = name
        self.status = status
        self.title = title
    }

    // Status 400: the request itself is invalid.
    public static let malformedRequest = ProblemCode("malformed-request", 400, "The request is malformed")
    public static let malformedJSON = ProblemCode("malformed-json", 400, "The body is not valid JSON")
    public static let unknownMember = ProblemCode("unknown-member", 400, "A member is not known")
    public static let missingMember = ProblemCode("missing-member", 400, "A member is missing")
    public static let wrongType = ProblemCode("wrong-type", 400, "A value has the wrong type")
    public static let outOfRange = ProblemCode("out-of-range", 400, "A value is out of range")
    public static let invalidValue = ProblemCode("invalid-value", 400, "A value is not valid")
    public static let unknownParameter = ProblemCode("unknown-parameter", 400, "A query parameter is not known")
    public static let invalidParameter = ProblemCode("invalid-parameter", 400, "A query parameter is not valid")
    public static let unexpectedBody = ProblemCode("unexpected-body", 400, "The request must not have a body")

    // Status 401: the client must authenticate.
    public static let unauthorized = ProblemCode("unauthorized", 401, "A token is required")

    // Status 403: the server refuses the request, whichever client sends it.
    public static let forbiddenHost = ProblemCode("forbidden-host", 403, "The server does not accept this host name")
    public static let forbiddenOrigin = ProblemCode("forbidden-origin", 403, "Pages of this origin may not use the server")
    public static let crossSite = ProblemCode("cross-site", 403, "Pages of other sites may not use the server")
    public static let outsideMediaRoots = ProblemCode("outside-media-roots", 403, "The path is outside the media roots")

    // Status 404 and 405: the resource or the method does not exist.
    public static let notFound = ProblemCode("not-found", 404, "The resource does not exist")
    public static let itemNotFound = ProblemCode("item-not-found", 404, "There is no such item")
    public static let entryNotFound = ProblemCode("entry-not-found", 404, "There is no such entry")
    public static let artworkNotFound = ProblemCode("artwork-not-found", 404, "The item has no artwork")
    public static let lyricsNotFound = ProblemCode("lyrics-not-found", 404, "The item has no lyrics")
    public static let fileNotFound = ProblemCode("file-not-found", 404, "There is no such file")
    public static let outputNotFound = ProblemCode("output-not-found", 404, "There is no such output")
    public static let methodNotAllowed = ProblemCode("method-not-allowed", 405, "The path does not allow this method")

    // Status 409 and 412: the request conflicts with the present state.
    public static let noCurrentItem = ProblemCode("no-current-item", 409, "No item is loaded")
    public static let itemNotReady = ProblemCode("item-not-ready", 409, "The item is not ready yet")
    public static let notSeekable = ProblemCode("not-seekable", 409, "The item does not support this seek")
    public static let itemReplaced = ProblemCode("item-replaced", 409, "Another item was loaded in the meantime")
    public static let outputUnavailable = ProblemCode("output-unavailable", 409, "The output cannot be opened")
    public static let waveformNotReady = ProblemCode("waveform-not-ready", 409, "The waveform is not ready yet")
    public static let noNextEntry = ProblemCode("no-next-entry", 409, "There is no next entry")
    public static let noPreviousEntry = ProblemCode("no-previous-entry", 409, "There is no previous entry")
    public static let nothingToUndo = ProblemCode("nothing-to-undo", 409, "There is no edit to undo")
    public static let nothingToRedo = ProblemCode("nothing-to-redo", 409, "There is no edit to repeat")
    public static let requestInProgress = ProblemCode("request-in-progress", 409, "A request with the same Idempotency-Key is in progress")
    public static let preconditionFailed = ProblemCode("precondition-failed", 412, "The state has changed")
    public static let commandExpired = ProblemCode("command-expired", 412, "The request came too late")
    public static let currentEntryChanged = ProblemCode("current-entry-changed", 412, "Another entry is current")

    // Status 413 and 415: the body is not acceptable.
    public static let bodyTooLarge = ProblemCode("body-too-large", 413, "The body is too large")
    public static let unsupportedMediaType = ProblemCode("unsupported-media-type", 415, "The body must be JSON")

    // Status 422: the request is well formed, but impossible.
    public static let unsupportedScheme = ProblemCode("unsupported-scheme", 422, "The URL has a scheme that is not supported")
    public static let unplayableFile = ProblemCode("unplayable-file", 422, "The file cannot be played")
    /// The problem of a text with too many bytes. The schemas in openapi.yaml cannot express a limit in bytes, because they count characters.
    public static let textTooLong = ProblemCode("text-too-long", 422, "A text has too many bytes")
    public static let seekOutOfRange = ProblemCode("seek-out-of-range", 422, "The target is outside the item")
    public static let startOutOfRange = ProblemCode("start-out-of-range", 422, "The start cannot be at this moment")
    public static let alreadyPlaying = ProblemCode("already-playing", 409, "The player plays already")
    public static let loopTooShort = ProblemCode("loop-too-short", 422, "The loop is too short")
    public static let rateNotPlayable = ProblemCode("rate-not-playable", 422, "The item cannot be played at this rate")
    public static let tooManyEntries = ProblemCode("too-many-entries", 422, "The queue would have too many entries")
    public static let queueTooLarge = ProblemCode("queue-too-large", 422, "The queue would have too much text")
    public static let noWaveform = ProblemCode("no-waveform", 422, "The item cannot have a waveform")
    public static let artworkNotScalable = ProblemCode("artwork-not-scalable", 422, "The picture cannot be scaled")
    public static let outputWithoutVolume = ProblemCode("output-without-volume", 422, "The output has no volume")
    public static let idempotencyKeyReused = ProblemCode("idempotency-key-reused", 422, "The Idempotency-Key belongs to another request")
    public static let itemFailed = ProblemCode("item-failed", 422, "The item cannot be played")

    // Status 426, 429 and 503: another protocol is needed, or the server cannot answer now.
    public static let upgradeRequired = ProblemCode("upgrade-required", 426, "The path requires another protocol")
    public static let tooManyRequests = ProblemCode("too-many-requests", 429, "Too many requests at once")
    public static let tooManyIntervals = ProblemCode("too-many-intervals", 429, "Too many tick intervals")
    public static let tooManyFailures = ProblemCode("too-many-failures", 429, "Too many wrong tokens")
    /// The memory for clients' data is used up. Only this problem and `notReady` have a 5xx status. The content of a single
    /// request of HTTP/1 never leads to such a status.
    public static let serverBusy = ProblemCode("server-busy", 503, "The server is busy")
    public static let notReady = ProblemCode("not-ready", 503, "The player is not ready")

    /// Returns the code for a text of more than `limit` bytes. The schemas in openapi.yaml can limit only the number of characters. So the code is
    /// `textTooLong` if the text has at most `limit` characters, and otherwise `otherwise`, the code of a value that the schema forbids.
    static func tooLong(_ text: String, limit: Int, otherwise: ProblemCode) -> ProblemCode {
        text.unicodeScalars.count > limit ? otherwise : .textTooLong
    }

    // Requests that are rejected before their path is read.
    public static let lengthRequired = ProblemCode("length-required", 411, "Length required")
    public static let targetTooLong = ProblemCode("target-too-long", 414, "Target too long")
    public static let expectationFailed = ProblemCode("expectation-failed", 417, "Expectation failed")
    public static let headTooLarge = ProblemCode("head-too-large", 431, "Head too large")
}
