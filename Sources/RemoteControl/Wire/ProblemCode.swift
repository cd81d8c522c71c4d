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
    public static let tagOfOtherResource = ProblemCode("tag-of-other-resource", 412, "The entity tag belongs to another resource")
    public static let currentEntryChanged = ProblemCode("current-entry-changed", 412, "Another entry is current")

    // Status 413, 415 and 416: the body or the range is not acceptable.
    public static let bodyTooLarge = ProblemCode("body-too-large", 413, "The body is too large")
    public static let rangeNotSatisfiable = ProblemCode("range-not-satisfiable", 416, "The requested range does not exist")
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
    public static let sessionRefused = ProblemCode("session-refused", 422, "The audio session cannot be changed in this way")
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

    /// All codes of problems. A test compares the codes with openapi.yaml.
    static let all: [ProblemCode] = [
        lengthRequired, targetTooLong, expectationFailed, headTooLarge,
        malformedRequest, malformedJSON, unknownMember, missingMember, wrongType, outOfRange, invalidValue, unknownParameter, invalidParameter,
        unexpectedBody, unauthorized, tooManyFailures, requestInProgress, idempotencyKeyReused, outputUnavailable,
        waveformNotReady, outputNotFound, rangeNotSatisfiable, noWaveform, sessionRefused, outputWithoutVolume, forbiddenHost, forbiddenOrigin,
        crossSite,
        outsideMediaRoots, notFound, itemNotFound, entryNotFound, artworkNotFound, artworkNotScalable, lyricsNotFound,
        fileNotFound,
        methodNotAllowed, noCurrentItem, itemNotReady, notSeekable, itemReplaced, noNextEntry, noPreviousEntry, nothingToUndo, nothingToRedo,
        preconditionFailed, tagOfOtherResource, currentEntryChanged, bodyTooLarge,
        unsupportedMediaType,
        unsupportedScheme, unplayableFile, textTooLong, seekOutOfRange, startOutOfRange, alreadyPlaying, loopTooShort, rateNotPlayable,
        tooManyEntries, queueTooLarge, itemFailed, upgradeRequired,
        tooManyIntervals,
        tooManyRequests, serverBusy, notReady,
    ]
}

extension ProblemCode {
    /// The explanation of this kind of problem for developers of clients: its cause and the remedy. `GET /problems/{code}` returns it.
    var explanation: String { Self.explanations[self] ?? title + "." }

    /// The explanations of the kinds of problems, one for each code in `all`.
    static let explanations: [ProblemCode: String] = [
        .malformedRequest: "The request is not valid HTTP/1.1, or a header field has an invalid value. `detail` names the part. Correct the request.",
        .lengthRequired: "The body has no `Content-Length`, because it is sent in chunks. Send its length.",
        .targetTooLong: "The path and the query of the request have more bytes than the server accepts. `detail` states the limit.",
        .expectationFailed: "The field `Expect` has another value than `100-continue`. Send the request without it.",
        .headTooLarge: "The request line and the header fields have more bytes, or more fields, than the server accepts. `detail` states the limit.",
        .malformedJSON: "The body is empty, not UTF-8, or not a JSON object. `detail` names the first error. Correct the body.",
        .unknownMember: "The body has a member that the operation does not know, often a misspelt one. `pointer` names it. Remove or correct it.",
        .missingMember: "The body lacks a member that the operation requires. `pointer` names it. Add it.",
        .wrongType: "A member has another JSON type than the contract states. `pointer` names it.",
        .outOfRange: "A number is outside the range that the contract states. `pointer` or `parameter` names it. No value is clamped silently.",
        .invalidValue: "A member has a value that the contract does not list or that has the wrong form. `pointer` names it.",
        .unknownParameter: "The query has a parameter that the operation does not know, or has one twice. `parameter` names it.",
        .invalidParameter: "A query parameter has a value that the contract does not allow. `parameter` names it.",
        .unexpectedBody: "The operation takes no body. Send the request without one.",
        .unauthorized: "The server requires its token. Send it in `Authorization: Bearer`, or exchange it for a cookie with `logIn`.",
        .forbiddenHost: "The `Host` of the request is not a name of this server. Use its address, or start it with `--allow-host`.",
        .forbiddenOrigin: "A web page of another origin sent the request. Start the server with `--allow-origin` for this origin.",
        .crossSite: "A web page of another site sent the request. Start the server with `--allow-origin` for the page's origin.",
        .outsideMediaRoots: "Clients may use only files below the media roots. Start the server with `--media-root` for the folder.",
        .notFound: "The API has no such path. The contract at /openapi.yaml lists the paths.",
        .itemNotFound: "No entry of the queue has this id, or no item is loaded. Read the queue again.",
        .entryNotFound: "No entry of the queue has this id, because it was removed. Read the queue again.",
        .artworkNotFound: "The item or file has no picture and no picture of its folder, or the item has not been opened yet.",
        .lyricsNotFound: "The item has no lyrics in its tags, and no `.lrc` file with its name lies beside it.",
        .fileNotFound: "There is no file or folder at this path.",
        .outputNotFound: "There is no output with this id. `listOutputs` lists the outputs.",
        .methodNotAllowed: "The path exists, but not with this method. The field `Allow` lists the methods.",
        .noCurrentItem: "The operation needs a current item, and the queue is empty or has ended. Load an item first.",
        .itemNotReady: "The operation needs properties of the item that are known only after it is ready. Try again, or load it with `wait`.",
        .notSeekable: "The item does not support this kind of seek, for example because it is live.",
        .alreadyPlaying: "A start at a host time or a date needs a paused player. Send `pause` first.",
        .itemReplaced: "Another client replaced or removed the item before it was ready. Nothing is left to wait for.",
        .outputWithoutVolume:
            "The output is no device with a volume, for example `auto` or `null`. `listOutputs` shows `volume` for each device that has one.",
        .outputUnavailable: "The output exists, but could not be opened. Playback continues on the output before. `detail` has the reason.",
        .waveformNotReady: "Nothing is known of the waveform yet. Try again after `Retry-After`, best with `wait`.",
        .noNextEntry: "No playable entry follows the current one.",
        .noPreviousEntry: "No entry precedes the current one.",
        .nothingToUndo: "No client has edited the queue, or all kept edits are undone. `undo` in the queue's document names the edit to undo.",
        .nothingToRedo: "No edit was undone since the last edit. `redo` in the queue's document names the edit to repeat.",
        .requestInProgress: "The first request with this `Idempotency-Key` is still being carried out. Repeat the request after a moment.",
        .preconditionFailed: "The resource has changed since the client read the tag in `If-Match`. Read it again, and decide again.",
        .tagOfOtherResource: "`If-Match` has the tag of another resource. Send the `ETag` of the resource that is changed. `detail` names its path.",
        .currentEntryChanged: "Another entry is current than the one in `current`: another client has stepped first. `currentId` names it.",
        .bodyTooLarge: "The body has more bytes than the operation accepts. `detail` states the limit.",
        .rangeNotSatisfiable: "The field `Range` names bytes that the resource does not have. `Content-Range` states its size.",
        .unsupportedMediaType: "The body must have the content type `application/json`, in UTF-8.",
        .unsupportedScheme: "Media can be played from `file:`, `http:` and `https:` URLs and absolute paths.",
        .unplayableFile: "The path names a folder without media, a device, a text, or a file or folder that the server may not read.",
        .textTooLong: "A text has more bytes in UTF-8 than the server accepts, although not more characters than the contract states.",
        .seekOutOfRange: "The target of the seek, or an entry's start position, is outside the medium. `end` is the largest position, in seconds.",
        .startOutOfRange: "The moment of the start has passed, or is more than 366 days ahead.",
        .loopTooShort: "A loop must last at least 0.1 seconds, also after its end was limited to the end of the item.",
        .rateNotPlayable: "The current item cannot be played at this rate, for example a stream that cannot be played backwards.",
        .tooManyEntries: "The queue would have more entries than its limit. `detail` states the limit.",
        .queueTooLarge: "The URLs and titles of the queue would have more bytes than its limit. `detail` states the limit.",
        .noWaveform: "A waveform needs a file of the server's machine that ends, and lasts at most 100 hours.",
        .artworkNotScalable: "The picture is damaged, or too large to be scaled. Request it without `size`.",
        .sessionRefused: "The category, mode and options of the audio session do not fit together, or another program holds the sound device.",
        .idempotencyKeyReused: "Another request has used this `Idempotency-Key`. Use a new key for each request, and the same key only to repeat it.",
        .itemFailed: "The medium cannot be played. `error` has the code and a sentence with the reason.",
        .upgradeRequired: "The path is a WebSocket. Send the fields of a WebSocket handshake.",
        .tooManyRequests: "Too many requests of this kind are in progress. Repeat the request after `Retry-After`.",
        .tooManyIntervals: "Too many different `tick` or `boundary` values are in use. Use the values of another client, such as 1.",
        .tooManyFailures: "Too many wrong tokens came from this address. The correct token is accepted at any time.",
        .serverBusy: "The memory for clients' data is used up. Repeat the request after `Retry-After`.",
        .notReady: "The player cannot play now. `detail` has the reason.",
    ]
}
