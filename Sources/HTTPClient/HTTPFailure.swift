import CCurl
import Glibc
import PlaybackEngine

/// The error of a request, from libcurl's result.
struct HTTPFailure {
    let error: PlaybackError

    /// The domain of the underlying errors whose codes are libcurl's.
    static let domain = "libcurl"

    /// - Parameter isBody: Whether the head of the response has arrived.
    init(_ easy: UnsafeMutableRawPointer, _ code: CURLcode, _ route: HTTPExchange.Route, isBody: Bool) {
        let underlying = PlaybackError.Underlying(
            domain: HTTPFailure.domain, code: Int(code.rawValue), message: String(cString: curl_easy_strerror(code)))
        func number(_ info: CURLINFO) -> Int {
            var value = 0
            return ccurl_get_number(easy, info, &value) == CURLE_OK ? value : 0
        }
        let errno = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)), status = number(CURLINFO_HTTP_CONNECTCODE)
        if let proxy = route.proxy, status >= 300 {
            error = proxy.refusal(route.url, status: status)
            return
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT,
            CURLE_COULDNT_CONNECT where errno == ETIMEDOUT:
            error = route.proxy?.unreachable(.late) ?? .late
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST:
            let failed = PlaybackError(
                .network, "The server could not be reached.", reason: .cannotConnect,
                underlying: PlaybackError.Underlying(errno: errno == 0 ? ENETUNREACH : errno))
            error = route.proxy?.unreachable(failed) ?? failed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            let defect = CertificateDefect(UInt32(truncatingIfNeeded: number(CURLINFO_SSL_VERIFYRESULT)), easy)
            let isFileBad = code == CURLE_SSL_CACERT_BADFILE
            error = PlaybackError(
                .network, isFileBad ? "SSL_CERT_FILE or SSL_CERT_DIR names no certificates that can be read." : defect.sentence(route.url.host),
                reason: isFileBad ? .certificateUnknownIssuer : defect.reason, underlying: underlying)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_CERTPROBLEM:
            error = PlaybackError(
                .network, "The secure connection to the server failed.", reason: .secureConnectionFailed, underlying: underlying)
        case CURLE_RECV_ERROR where isBody && errno == 0 && !route.url.isSecure:
            error = PlaybackError(.network, "The chunks of the server's response are malformed.", reason: .badResponse)
        case CURLE_BAD_CONTENT_ENCODING: error = .compressed(nil)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
            let isInTunnel = !route.url.isSecure || status != 0
            error = route.proxy.map { isInTunnel ? .connectionLost : $0.unreachable(.connectionLost) } ?? .connectionLost
        default: error = PlaybackError(.network, "The server's response is not HTTP.", reason: .badResponse)
        }
    }
}

/// The reason why a server's certificate is not valid, from the bits that GnuTLS sets. If several are set, the first one in `kinds` decides.
private struct CertificateDefect {
    let reason: PlaybackError.Reason
    private let kind: Kind
    private let facts: CertificateFacts

    private enum Kind { case revoked, expired, early, unknownIssuer, otherName }
    private static let kinds: [(UInt32, Kind, PlaybackError.Reason)] = [
        (1 << 5, .revoked, .certificateInvalid), (1 << 10, .expired, .certificateExpired), (1 << 9, .early, .certificateNotYetValid),
        (1 << 6, .unknownIssuer, .certificateUnknownIssuer), (1 << 11, .unknownIssuer, .certificateUnknownIssuer),
    ]

    init(_ status: UInt32, _ easy: UnsafeMutableRawPointer) {
        let found = CertificateDefect.kinds.first { status & $0.0 != 0 }
        (kind, reason) = found.map { ($0.1, $0.2) } ?? (.otherName, .certificateInvalid)
        facts = CertificateFacts(easy)
    }

    /// Returns the sentence for users. It names the date, the name or the issuer of the certificate, if it is known.
    func sentence(_ host: String) -> String {
        switch kind {
        case .revoked: "The server's certificate was revoked."
        case .expired: "The server's certificate has expired\(facts.expiry.map { " on \($0)" } ?? "")."
        case .early:
            "The server's certificate is not valid \(facts.activation.map { "before \($0)" } ?? "yet"). Is the date of this machine correct?"
        case .unknownIssuer: "The issuer of the server's certificate\(facts.issuer.map { " (\($0))" } ?? "") is not trusted."
        case .otherName: "The server's certificate belongs to another name\(facts.name.map { ": \($0) instead of \(host)" } ?? "")."
        }
    }
}

/// Facts about a server's certificates, which errors contain. The texts are from the server: only printable ASCII of limited length is kept.
private struct CertificateFacts {
    /// The first date on which a certificate of the chain expires, and the first on which all are valid, as in "2026-01-31".
    private(set) var expiry: String?, activation: String?
    /// The common name of the server's own certificate, and that of the issuer of the chain's last one.
    private(set) var name: String?, issuer: String?

    init(_ easy: UnsafeMutableRawPointer) {
        var list: UnsafeMutablePointer<curl_certinfo>?
        guard ccurl_get_certificates(easy, &list) == CURLE_OK, let list = list?.pointee else { return }
        for index in 0..<min(8, Int(list.num_of_certs)) {
            var entry = list.certinfo[index]
            while let line = entry {
                let bytes = UnsafeRawBufferPointer(start: line.pointee.data, count: strnlen(line.pointee.data, 512))
                if let date = CertificateFacts.value("Expire Date:", bytes) { expiry = min(expiry ?? "9", String(date.prefix(10))) }
                if let date = CertificateFacts.value("Start Date:", bytes) { activation = max(activation ?? "", String(date.prefix(10))) }
                if index == 0, let subject = CertificateFacts.value("Subject:", bytes) { name = CertificateFacts.commonName(subject) }
                if let subject = CertificateFacts.value("Issuer:", bytes) { issuer = CertificateFacts.commonName(subject) }
                entry = line.pointee.next
            }
        }
    }

    /// Returns the rest of a line that begins with `key`, in printable ASCII.
    private static func value(_ key: String, _ line: UnsafeRawBufferPointer) -> String? {
        guard line.starts(with: key.utf8) else { return nil }
        return String(decoding: line.dropFirst(key.utf8.count).map { 0x20...0x7E ~= $0 ? $0 : 0x3F }, as: UTF8.self)
    }

    /// Returns the common name in the text of a name, at most 80 bytes; nil if there is none.
    private static func commonName(_ text: String) -> String? {
        let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }
        return parts.last { $0.hasPrefix("CN=") }.map { String($0.dropFirst(3).prefix(80)) }
    }
}

extension PlaybackError {
    /// The error of a response that has not begun, or of a body whose next byte has not arrived, in time.
    static let silent = PlaybackError(.network, "The server sends no data.", reason: .noAnswer, underlying: Underlying(errno: ETIMEDOUT))
    /// The error of a server that has not sent the head of its response in time.
    static let late = PlaybackError(.network, "The server did not respond in time.", reason: .noAnswer, underlying: silent.underlying)
    /// The error of a connection that ended within a response.
    static let connectionLost = PlaybackError(
        .network, "The connection to the server was lost.", reason: .connectionLost, underlying: Underlying(errno: ECONNRESET))
    /// The error of a compressed response. `coding` is nil if only libcurl has seen it: newer versions refuse the field `Transfer-Encoding` themselves.
    static func compressed(_ coding: String?) -> PlaybackError {
        PlaybackError(
            .network, "The server sends the medium compressed\(coding.map { " (\($0))" } ?? ""), although the request excludes that.",
            reason: .badResponse)
    }
    /// The error of a medium that has another content than before.
    static let changed = PlaybackError(.network, "The medium has changed on the server since playback started.", reason: .changed)
}
