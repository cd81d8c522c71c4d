/// The token, traded for a cookie.
struct AccessController: Sendable {
    let access: AccessGuard

    /// A browser shows the token once. Where no token is needed, any is right.
    func open(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["token"])
        guard let token = try body.string("token", maximumLength: AccessToken.lengths.upperBound) else { throw body.missing("token") }
        var response = HTTPResponse.empty()
        if let cookie = try access.trade(token, request.request, request.fields) { response.headers.append(("Set-Cookie", cookie)) }
        return .now(response)
    }

    /// The browser forgets the cookie.
    func close(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        var response = HTTPResponse.empty()
        response.headers.append(("Set-Cookie", access.expiredCookie(request.fields)))
        return .now(response)
    }
}
