import CGnuTLS
import Glibc
import PlaybackEngine

/// The reason why a server's certificate is not valid, from the bits that GnuTLS returns. If several bits are set, the first one in `kinds` decides.
struct CertificateDefect {
    let reason: PlaybackError.Reason
    private let kind: gnutls_certificate_status_t?

    private static let kinds: [(gnutls_certificate_status_t, PlaybackError.Reason)] = [
        (GNUTLS_CERT_REVOKED, .certificateInvalid), (GNUTLS_CERT_EXPIRED, .certificateExpired),
        (GNUTLS_CERT_NOT_ACTIVATED, .certificateNotYetValid), (GNUTLS_CERT_UNEXPECTED_OWNER, .certificateInvalid),
        (GNUTLS_CERT_SIGNER_NOT_FOUND, .certificateUnknownIssuer), (GNUTLS_CERT_SIGNATURE_FAILURE, .certificateUnknownIssuer),
    ]

    init(_ status: UInt32) {
        let found = CertificateDefect.kinds.first { status & $0.0.rawValue != 0 }
        kind = found?.0
        reason = found?.1 ?? .certificateInvalid
    }

    /// Returns the sentence for users. It names the dates, the names or the issuer of the certificates, if they are known.
    func sentence(_ chain: CertificateChain = CertificateChain(), host: String = "") -> String {
        switch kind {
        case GNUTLS_CERT_REVOKED: return "The server's certificate was revoked."
        case GNUTLS_CERT_EXPIRED: return "The server's certificate has expired\(chain.expiry.map { " on \($0)" } ?? "")."
        case GNUTLS_CERT_NOT_ACTIVATED:
            return "The server's certificate is not valid \(chain.activation.map { "before \($0)" } ?? "yet"). Is the date of this machine correct?"
        case GNUTLS_CERT_UNEXPECTED_OWNER:
            guard !chain.names.isEmpty else { return "The server's certificate belongs to another name." }
            return "The server's certificate belongs to another name: \(chain.names.joined(separator: ", ")) instead of \(host)."
        case GNUTLS_CERT_SIGNER_NOT_FOUND, GNUTLS_CERT_SIGNATURE_FAILURE:
            return "The issuer of the server's certificate\(chain.issuer.map { " (\($0))" } ?? "") is not trusted."
        default: return "The server's certificate is not valid."
        }
    }
}

/// Facts about a server's certificates, which errors contain. The texts are from the server: only printable ASCII of limited length is kept.
struct CertificateChain {
    /// The first date on which a certificate of the chain expires, as in "2026-01-31".
    private(set) var expiry: String?
    /// The first date on which all certificates of the chain are valid.
    private(set) var activation: String?
    /// The DNS names and network addresses for which the server's own certificate is valid, at most `nameLimit`.
    private(set) var names: [String] = []
    /// The issuer of the chain's last certificate that could be read: its common name, or its organisation if it has no common name.
    private(set) var issuer: String?

    /// The maximum number of certificates of a chain that are read.
    static let limit = 8
    static let nameLimit = 4
    /// The maximum number of entries of a certificate's list of names that are read.
    private static let entryLimit: UInt32 = 64
    /// The maximum length of a name in an error, in bytes.
    static let textLimit = 80

    init() {}

    /// Reads the certificates that the server has sent in the TLS handshake.
    init(_ session: gnutls_session_t) {
        var count: UInt32 = 0
        guard let list = gnutls_certificate_get_peers(session, &count) else { return }
        var expiration = time_t.max, activated = time_t.min
        for index in 0..<min(Int(count), CertificateChain.limit) {
            var certificate: gnutls_x509_crt_t?, data = list[index]
            guard gnutls_x509_crt_init(&certificate) >= 0, let certificate else { continue }
            defer { gnutls_x509_crt_deinit(certificate) }
            guard gnutls_x509_crt_import(certificate, &data, GNUTLS_X509_FMT_DER) >= 0 else { continue }
            expiration = min(expiration, gnutls_x509_crt_get_expiration_time(certificate))
            activated = max(activated, gnutls_x509_crt_get_activation_time(certificate))
            if index == 0 { names = CertificateChain.names(certificate) }
            issuer =
                CertificateChain.text { gnutls_x509_crt_get_issuer_dn_by_oid(certificate, CertificateChain.commonName, 0, 0, $0, $1) }
                ?? CertificateChain.text { gnutls_x509_crt_get_issuer_dn_by_oid(certificate, CertificateChain.organization, 0, 0, $0, $1) }
        }
        expiry = CertificateChain.date(expiration)
        activation = CertificateChain.date(activated)
    }

    private static let commonName = "2.5.4.3", organization = "2.5.4.10"

    /// Returns the DNS names and the network addresses of a certificate (RFC 9525); the common name if it has neither. Names of other kinds, such as
    /// URIs, do not identify the server of a URL.
    private static func names(_ certificate: gnutls_x509_crt_t) -> [String] {
        var found: [String] = []
        for index in 0..<entryLimit where found.count < nameLimit {
            let (kind, bytes) = entry { gnutls_x509_crt_get_subject_alt_name(certificate, index, $0, $1, nil) }
            if kind == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE { break }
            switch kind {
            case Int32(GNUTLS_SAN_DNSNAME.rawValue): if let name = printable(bytes) { found.append(name) }
            case Int32(GNUTLS_SAN_IPADDRESS.rawValue): if [4, 16].contains(bytes.count) { found.append(NetworkAddress(bytes: Array(bytes)).text) }
            default: break
            }
        }
        if found.isEmpty, let name = text({ gnutls_x509_crt_get_dn_by_oid(certificate, commonName, 0, 0, $0, $1) }) { found = [name] }
        return found
    }

    /// Returns the text that a function of GnuTLS writes into a buffer. Returns nil if there is none, if it is longer than 256 bytes, or if at least
    /// half of its bytes are not printable ASCII.
    private static func text(_ read: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>) -> Int32) -> String? { printable(entry(read).bytes) }

    /// Returns the code that a function of GnuTLS returns, and the bytes that it writes into a buffer: none if it fails, or if they are more than
    /// 256.
    private static func entry(
        _ read: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>) -> Int32
    ) -> (code: Int32, bytes: ArraySlice<UInt8>) {
        var buffer = [UInt8](repeating: 0, count: 256), size = buffer.count
        let code = buffer.withUnsafeMutableBytes { read($0.baseAddress, &size) }
        return (code, code < 0 ? [] : buffer[..<min(size, buffer.count)])
    }

    /// Returns the first `textLimit` bytes of `bytes` as text, after zeros were removed. Each byte that is not printable ASCII becomes "?". Returns
    /// nil if no byte is left, or if at least half of them are not printable ASCII.
    static func printable(_ bytes: ArraySlice<UInt8>) -> String? {
        let kept = bytes.filter { $0 != 0 }.prefix(textLimit)
        guard !kept.isEmpty, kept.filter({ 0x20...0x7E ~= $0 }).count * 2 > kept.count else { return nil }
        return String(decoding: kept.map { 0x20...0x7E ~= $0 ? $0 : 0x3F }, as: UTF8.self)
    }

    /// Returns the date (UTC) of a time, as in "2026-01-31"; nil for times that are not in the years 1970 to 9999.
    static func date(_ time: time_t) -> String? {
        var time = time, parts = tm()
        guard time > 0, time < 253_402_300_800, gmtime_r(&time, &parts) != nil else { return nil }
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    }
}
