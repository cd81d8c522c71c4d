/// The header fields that restrict what a browser may do with an answer.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The content policy of answers that are not a page: a browser may run no code from such an answer, load nothing for it, and not embed it.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The content policy of the web remote's page: the page may load only its own files and use only the server's API. Inline scripts and styles,
    /// plug-ins and frames are not permitted in the page. The page may make sound of its own (`blob:`), which browsers require for media keys.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
