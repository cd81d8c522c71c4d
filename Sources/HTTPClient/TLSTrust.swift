import Glibc

/// The certificates of the issuers that are trusted when a server's certificate is checked.
struct TLSTrust: Sendable {
    /// The paths of a file with certificates (PEM), and of a folder with such files. If both are nil, libcurl trusts those of the operating system.
    let file: String?, folder: String?

    /// The certificates that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name, or those of the operating system.
    static let system = TLSTrust(file: environment("SSL_CERT_FILE"), folder: environment("SSL_CERT_DIR"))

    var isOwn: Bool { file != nil || folder != nil }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
