import RemoteControl

/// The reason why the program refuses a request before its handler sees it. libmicrohttpd itself refuses others, with HTML or without an answer.
enum HTTPRefusalReason: Error, Hashable {
    case method
    case targetForm, targetCharacter, targetEscape, targetNUL, targetLength
    case strayBytes, fieldName, fieldValue, tooManyFields, tooManyCookies, headSize(limit: Int)
    case noHost, manyHosts
    case lengthAndCoding, manyLengths, length, lengthRequired, coding, expectation
    case bodySize(limit: Int)

    var problem: Problem {
        switch self {
        case .method: Self.bad("The method contains an invalid character.")
        case .targetForm: Self.bad("The request target must be a path that starts with \"/\".")
        case .targetCharacter: Self.bad("The request target contains a character that must be percent-encoded.")
        case .targetEscape: Self.bad("The request target contains a \"%\" without two hexadecimal digits after it.")
        case .targetNUL: Self.bad("The request target contains an encoded NUL.")
        case .targetLength: Problem(.targetTooLong, "The request target is longer than \(RequestReader.maximumTargetSize) bytes.")
        case .strayBytes: Self.bad("The head of the request contains a NUL, a bare line feed, a folded line or a stray space.")
        case .fieldName: Self.bad("The name of a header field contains an invalid character.")
        case .fieldValue: Self.bad("The value of a header field contains a control character.")
        case .tooManyFields: Self.large("The request has more than \(RequestReader.maximumFields) header fields.")
        case .tooManyCookies: Self.large("The request has too many cookies.")
        case .headSize(let limit): Self.large("The head of the request is larger than \(limit) bytes.")
        case .noHost: Self.bad("The request has no Host field.")
        case .manyHosts: Self.bad("The request has more than one Host field.")
        case .lengthAndCoding: Self.bad("The request has both Content-Length and Transfer-Encoding.")
        case .manyLengths: Self.bad("The request has more than one Content-Length or Transfer-Encoding field.")
        case .length: Self.bad("The request's Content-Length is not a number of bytes.")
        case .coding: Self.bad("The request has a Transfer-Encoding that its version of HTTP or this server does not support.")
        case .lengthRequired: Problem(.lengthRequired, "The body of the request is sent in chunks. Send it with a Content-Length.")
        case .expectation: Problem(.expectationFailed, "The only supported expectation is \"100-continue\".")
        case .bodySize(let limit): Problem(.bodyTooLarge, "The body of the request is larger than \(limit) bytes.")
        }
    }

    private static func bad(_ detail: String) -> Problem { Problem(.malformedRequest, detail) }

    private static func large(_ detail: String) -> Problem { Problem(.headTooLarge, detail) }
}
