/// A cookie for which a browser exchanges a token: `EXPIRY.ID.CODE`, with an HMAC-SHA256 of the rest and of the cookie's name, whose key is the
/// token. It does not reveal the token, and is invalid once the token is not accepted. The server stores nothing.
enum SessionCookie {
    /// One year, in seconds.
    static let lifetime = 365 * 86_400

    enum Verdict { case good, expired, wrong }

    /// - Parameter now: In seconds since 1970.
    static func make(_ token: AccessToken, name: String, now: Double) -> String {
        var generator = SystemRandomNumberGenerator()
        let claim = "\(Int64(now) + Int64(lifetime)).\(hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))"
        return claim + "." + code(token, claim, name)
    }

    /// All tokens are tried, so that the duration does not reveal which was used.
    /// - Parameter now: In seconds since 1970.
    static func check(_ value: String, _ tokens: [AccessToken], name: String, now: Double) -> Verdict {
        let parts = value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard value.utf8.count <= 160, parts.count == 3, let expiry = Int64(String(Substring(parts[0]))) else { return .wrong }
        let claim = String(Substring(parts[0])) + "." + String(Substring(parts[1]))
        let given = Array(parts[2])
        let isOurs = tokens.reduce(false) { MessageAuthentication.matches(Array(code($1, claim, name).utf8), given) || $0 }
        guard isOurs else { return .wrong }
        return now < Double(expiry) ? .good : .expired
    }

    private static func code(_ token: AccessToken, _ claim: String, _ name: String) -> String {
        let message = "tonearm session 1\n\(name)\n\(claim)"
        return hexadecimal(MessageAuthentication.sha256(key: Array(token.text.utf8), message: Array(message.utf8)))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
