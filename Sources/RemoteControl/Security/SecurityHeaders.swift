/// The header fields that restrict what a browser may do with an answer.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// For answers that are not a page: no code, nothing loaded, not embedded.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The page loads its own files and uses the server's API only. It may make sound (`blob:`), which browsers require for media keys.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
