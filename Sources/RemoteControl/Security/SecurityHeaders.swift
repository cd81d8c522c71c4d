/// The header fields that restrict what a browser may do with an answer.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The policy for answers that are not a page: they may run nothing, load nothing and not be embedded.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The policy for the web remote: only its own files and this API; no inline script or style, no plug-in, no frame.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
