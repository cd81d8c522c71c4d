/// The controller that exchanges a token for a session cookie.
struct AccessController: Sendable {
    let access: AccessGuard

    /// Answers a valid token with the session cookie. If the server needs no token, any token is valid.
    func open(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["token"])
        guard let token = try body.string("token", maximumLength: AccessToken.lengths.upperBound) else { throw body.missing("token") }
        var response = HTTPResponse.empty()
        if let cookie = try access.trade(token, request.request, request.fields) { response.headers.append(("Set-Cookie", cookie)) }
        return .now(response)
    }

    func close(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        var response = HTTPResponse.empty()
        response.headers.append(("Set-Cookie", access.expiredCookie(request.fields)))
        return .now(response)
    }
}
