import CGnuTLS
import Glibc
import PlaybackEngine

/// The transport that carries the bytes of a TLS session, for example a TCP connection. The functions of a TLS session's transport block, and are
/// called only on the session's thread.
protocol TLSTransport: AnyObject {
    /// Sends all of `bytes` to the server; returns false if the connection is lost.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Receives the bytes that have arrived from the server, at least one, and returns their number; 0 at the end of the connection, nil if the
    /// connection is lost.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// Whether the last call ended at the deadline without a byte (`silent`) or after an interrupt (`cancelled`), so that the call can be repeated.
    var isOnlyLate: Bool { get }
}

extension TLSTransport {
    var isOnlyLate: Bool { false }
}

/// The client's side of TLS (RFC 8446) over an existing connection, by GnuTLS.
///
/// FFmpeg's own TLS is not used, because it sends the server's name only if FFmpeg looks up the name itself. FFmpeg's own look-up could give another
/// address than the one that Tonearm has checked. `TLSSession` sends the server's name in the handshake (RFC 6066, section 3), whatever the address,
/// and the certificate must be valid for the name.
final class TLSSession {
    private var session: gnutls_session_t?
    // GnuTLS's session has pointers to the objects in `credentials`, `host` and `transport`, so they exist as long as the session.
    private let credentials: Credentials
    private let host: UnsafeMutablePointer<CChar>?
    fileprivate let transport: any TLSTransport

    /// Negotiates a TLS session with the server `host`, which is a name or an address without brackets.
    ///
    /// Errors of the TLS handshake: `network`, also if the server's certificate is not valid.
    init(_ transport: any TLSTransport, host: String, credentials: Credentials = .system) throws(PlaybackError) {
        self.credentials = credentials
        self.transport = transport
        self.host = strdup(host)
        guard gnutls_init(&session, UInt32(GNUTLS_CLIENT)) >= 0, let session else { throw .outOfMemory }
        gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
        gnutls_transport_set_push_function(session, tlsSend)
        gnutls_transport_set_pull_function(session, tlsReceive)
        try check(gnutls_set_default_priority(session))
        try check(gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials.raw)))
        // Only a server's name is sent in the TLS handshake, not an address.
        var address = in6_addr()
        if inet_pton(AF_INET, host, &address) != 1, inet_pton(AF_INET6, host, &address) != 1 {
            try check(gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, host.utf8.count))
        }
        gnutls_session_set_verify_cert(session, self.host, 0)
        var code: Int32
        repeat { code = gnutls_handshake(session) } while code < 0 && gnutls_error_is_fatal(code) == 0 && !transport.isOnlyLate
        try check(code)
    }

    deinit {
        // At the end of a TLS session no message is sent, because sending could block. The server detects the end of the TLS session when the
        // connection ends.
        if let session { gnutls_deinit(session) }
        free(host)
    }

    /// Sends all of `bytes` over the TLS session to the server.
    func write(_ bytes: [UInt8]) throws(PlaybackError) {
        guard let session else { return }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress?.advanced(by: done), bytes.count - done) }
            if count < 0, gnutls_error_is_fatal(Int32(count)) == 0, !transport.isOnlyLate { continue }
            try check(Int32(clamping: count))
            done += count
        }
    }

    /// Reads the bytes that have arrived from the server, at least one, and returns their number; 0 at the end of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard let session, buffer.count > 0 else { return 0 }
        while true {
            let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            // The server sent a new key, or a ticket for another TLS session, which is not an error.
            if gnutls_error_is_fatal(Int32(count)) == 0, !(count == GNUTLS_E_AGAIN && transport.isOnlyLate) { continue }
            try check(Int32(clamping: count))
        }
    }

    /// Whether decrypted bytes have not been read.
    var hasPending: Bool { session.map { gnutls_record_check_pending($0) > 0 } ?? false }

    /// Reports to GnuTLS whether the failed call of the transport can be repeated.
    fileprivate func noteFailure() { if let session { gnutls_transport_set_errno(session, transport.isOnlyLate ? EAGAIN : EIO) } }

    /// GnuTLS's number of the error for a certificate that is not valid.
    static let invalidCertificate = Int(GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)

    private func check(_ code: Int32) throws(PlaybackError) {
        guard code < 0 else { return }
        let underlying = PlaybackError.Underlying(domain: "GnuTLS", code: Int(code), message: String(cString: gnutls_strerror(code)))
        if code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR {
            let status = session.map { gnutls_session_get_verify_cert_status($0) } ?? 0
            let defect = CertificateDefect(status), chain = session.map { CertificateChain($0) } ?? CertificateChain()
            var sentence = defect.sentence(chain, host: host.map { String(cString: $0) } ?? "")
            if defect.reason == .certificateUnknownIssuer, let problem = credentials.problem { sentence += " " + problem }
            throw PlaybackError(.network, sentence, reason: defect.reason, underlying: underlying)
        }
        throw PlaybackError(
            .network, "The secure connection to the server failed.", reason: .secureConnectionFailed, underlying: underlying)
    }

    /// The certificates that a TLS session trusts.
    ///
    /// `@unchecked Sendable`: the pointer `raw` does not change after `init`, and GnuTLS allows several sessions to share it.
    final class Credentials: @unchecked Sendable {
        fileprivate let raw: gnutls_certificate_credentials_t?
        /// The sentence about trusted certificates that could not be read; nil if they could be read.
        let problem: String?

        /// The certificates that the operating system trusts, or those that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
        static let system = Credentials(file: environment("SSL_CERT_FILE"), folder: environment("SSL_CERT_DIR"))

        private static func environment(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// Makes credentials that trust the certificates (PEM) in a file, and those in the files of a folder. If both are nil, the credentials trust
        /// the certificates of the operating system.
        convenience init(file: String?, folder: String?) {
            var problem: String?
            self.init(
                { credentials in
                    if file == nil, folder == nil { return gnutls_certificate_set_x509_system_trust(credentials) }
                    var total: Int32 = 0
                    if let file {
                        let count = gnutls_certificate_set_x509_trust_file(credentials, file, GNUTLS_X509_FMT_PEM)
                        if count <= 0 { problem = "SSL_CERT_FILE names no file with certificates that can be read." }
                        total += max(0, count)
                    }
                    if let folder {
                        let count = gnutls_certificate_set_x509_trust_dir(credentials, folder, GNUTLS_X509_FMT_PEM)
                        if count <= 0 { problem = "SSL_CERT_DIR names no folder with certificates that can be read." }
                        total += max(0, count)
                    }
                    return total
                }, problem: { problem })
        }

        /// Makes the credentials of TLS sessions; the function `trust` adds the trusted certificates.
        init(_ trust: (gnutls_certificate_credentials_t?) -> Int32, problem: () -> String? = { nil }) {
            var made: gnutls_certificate_credentials_t?
            gnutls_certificate_allocate_credentials(&made)
            raw = made
            _ = trust(made)
            self.problem = problem()
        }

        deinit { gnutls_certificate_free_credentials(raw) }
    }
}

/// GnuTLS's callback for sending bytes to the server (`gnutls_push_func`).
func tlsSend(_ opaque: gnutls_transport_ptr_t?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    guard let opaque else { return -1 }
    let session = Unmanaged<TLSSession>.fromOpaque(opaque).takeUnretainedValue()
    if session.transport.send(UnsafeRawBufferPointer(start: bytes, count: count)) { return count }
    session.noteFailure()
    return -1
}

/// GnuTLS's callback for receiving bytes from the server (`gnutls_pull_func`).
func tlsReceive(_ opaque: gnutls_transport_ptr_t?, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    guard let opaque else { return -1 }
    let session = Unmanaged<TLSSession>.fromOpaque(opaque).takeUnretainedValue()
    if let received = session.transport.receive(into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) { return received }
    session.noteFailure()
    return -1
}
