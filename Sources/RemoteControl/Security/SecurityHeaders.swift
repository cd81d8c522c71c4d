/// The header fields that restrict what a browser may do with an answer.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// The content policy of answers that are not a page: a browser may run nothing from them, load nothing for them, and not embed them.
    static let strictPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The content policy of the web remote's page: it may load only its own files and use only this API. Inline scripts and styles, plug-ins and
    /// frames are not permitted.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
