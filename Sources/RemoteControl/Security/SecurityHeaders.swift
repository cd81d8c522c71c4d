/// The header fields that tell a browser to trust nothing it was not told to.
enum SecurityHeaders {
    static let always: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// For what is not a page: nothing may run, load or embed it.
    static let closedPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// For the web remote: its own files and this API, no inline script or style, no plug-in, no frame.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
        + "worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
