package import CGnuTLS
import Foundation
import Glibc
import Platform
import Synchronization

/// An HTTP/1.1 server on the loopback address that keeps its connections. With an identity it uses TLS, also through a tunnel, as behind a proxy
/// (CONNECT). It counts requests, connections and TLS handshakes.
package final class KeptServer: Sendable {
    package struct Request: Sendable {
        package var method = "", target = ""
        package var fields: [String: String] = [:]
        /// The requested range; nil if the request has none.
        package var range: (first: Int, last: Int?)? {
            guard let parts = fields["range"]?.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false), let first = Int(parts[0]) else {
                return nil
            }
            return (first, Int(parts[1]))
        }
    }
    /// A response: its status line and its header fields except `Content-Length`, each with its line end, and its body.
    package struct Response: Sendable {
        package var head: String
        package var body: [UInt8]
        /// The value of `Content-Length`, if it is not the length of the body. The connection ends after such a response.
        package var statedLength: Int?

        package init(head: String, body: [UInt8] = [], statedLength: Int? = nil) {
            self.head = head
            self.body = body
            self.statedLength = statedLength
        }

        /// Returns the requested range of a medium.
        package static func part(of bytes: [UInt8], _ request: Request, fields: String = "", total: Int? = nil) -> Response {
            let (first, last) = request.range ?? (0, nil), end = min(bytes.count, (last ?? bytes.count - 1) + 1)
            guard first < end else {
                return Response(head: "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(bytes.count)\r\n\(fields)")
            }
            let range = "bytes \(first)-\(end - 1)/\(total ?? bytes.count)"
            return Response(head: "HTTP/1.1 206 Partial Content\r\nContent-Range: \(range)\r\n\(fields)", body: Array(bytes[first..<end]))
        }
    }

    /// The two ways in which bytes reach a client.
    private enum Wire {
        case plain(Int32)
        case secure(gnutls_session_t)

        func read() -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count =
                switch self {
                case .plain(let descriptor): recv(descriptor, &buffer, buffer.count, 0)
                case .secure(let session): gnutls_record_recv(session, &buffer, buffer.count)
                }
            return count > 0 ? Array(buffer[..<count]) : nil
        }

        func write(_ bytes: [UInt8]) -> Bool {
            var done = 0
            while done < bytes.count {
                let count = bytes.withUnsafeBytes { all in
                    switch self {
                    case .plain(let descriptor): send(descriptor, all.baseAddress?.advanced(by: done), all.count - done, Int32(MSG_NOSIGNAL))
                    case .secure(let session): gnutls_record_send(session, all.baseAddress?.advanced(by: done), all.count - done)
                    }
                }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    private let listener: LoopbackListener
    private let identity: TLSIdentity?
    private let state = Mutex((requests: [Request](), handshakes: 0))
    private let handler: @Sendable (Request) -> Response

    package init(_ identity: TLSIdentity? = nil, handler: @escaping @Sendable (Request) -> Response) throws {
        self.identity = identity
        self.handler = handler
        listener = try LoopbackListener()
        listener.start { [self] in serve($0) }
    }

    package var port: UInt16 { listener.port }
    /// The requests so far, in storage of their own: ThreadSanitizer does not see the reference counts by which threads share an array's storage.
    package var requests: [Request] { state.withLock { state in state.requests.map { $0 } } }
    package var connectionCount: Int { listener.count }
    package var handshakeCount: Int { state.withLock { $0.handshakes } }
    package func url(_ target: String) -> String { "\(identity == nil ? "http" : "https")://\(identity?.name ?? "127.0.0.1"):\(port)\(target)" }

    /// Ends all connections, and accepts no further ones.
    package func stop() { listener.stop() }

    private func serve(_ descriptor: Int32) {
        guard let identity else { return converse(.plain(descriptor)) }
        // A client that uses a proxy first asks for a tunnel, without TLS.
        var first: UInt8 = 0
        if recv(descriptor, &first, 1, Int32(MSG_PEEK)) == 1, first == UInt8(ascii: "C") {
            guard let request = head(.plain(descriptor)) else { return }
            state.withLock { $0.requests.append(request) }
            let response = handler(request)
            guard Wire.plain(descriptor).write(Array("\(response.head)\r\n".utf8)), response.head.hasPrefix("HTTP/1.1 200") else { return }
        }
        var credentials: gnutls_certificate_credentials_t?, session: gnutls_session_t?
        gnutls_certificate_allocate_credentials(&credentials)
        var list = identity.certificate
        gnutls_certificate_set_x509_key(credentials, &list, 1, identity.key)
        gnutls_init(&session, UInt32(GNUTLS_SERVER | GNUTLS_NO_SIGNAL))
        gnutls_set_default_priority(session)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_transport_set_int2(session, descriptor, descriptor)
        if let session, gnutls_handshake(session) >= 0 {
            state.withLock { $0.handshakes += 1 }
            converse(.secure(session))
        }
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    private func converse(_ wire: Wire) {
        while let request = head(wire) {
            state.withLock { $0.requests.append(request) }
            let response = handler(request)
            let length = response.statedLength ?? response.body.count
            guard wire.write(Array("\(response.head)Content-Length: \(length)\r\n\r\n".utf8) + response.body) else { return }
            if response.statedLength != nil { return }
        }
    }

    private func head(_ wire: Wire) -> Request? {
        var text = ""
        while !text.contains("\r\n\r\n") {
            guard let bytes = wire.read() else { return nil }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let lines = text.components(separatedBy: "\r\n"), words = lines[0].components(separatedBy: " ")
        var request = Request(method: words[0], target: words.dropFirst().first ?? "")
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            request.fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return request
    }
}

/// A self-signed certificate for one host name, and its key.
///
/// `@unchecked Sendable`: GnuTLS copies both values when it uses them, and nothing changes them.
package final class TLSIdentity: @unchecked Sendable {
    package let name: String
    package let certificate: gnutls_x509_crt_t?
    package let key: gnutls_x509_privkey_t?

    /// - Parameters:
    ///   - validity: The times from which and until which the certificate is valid, in seconds from now.
    ///   - others: The entries of the certificate's list of names that follow `name`, each with its kind.
    package init(_ name: String, validity: ClosedRange<Int> = -60...3600, others: [(gnutls_x509_subject_alt_name_t, [UInt8])] = []) {
        var key: gnutls_x509_privkey_t?, certificate: gnutls_x509_crt_t?
        gnutls_x509_privkey_init(&key)
        gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, 256, 0)
        gnutls_x509_crt_init(&certificate)
        gnutls_x509_crt_set_version(certificate, 3)
        gnutls_x509_crt_set_serial(certificate, [1], 1)
        gnutls_x509_crt_set_key(certificate, key)
        gnutls_x509_crt_set_activation_time(certificate, time_t(SystemWallClock().secondsSince1970) + validity.lowerBound)
        gnutls_x509_crt_set_expiration_time(certificate, time_t(SystemWallClock().secondsSince1970) + validity.upperBound)
        gnutls_x509_crt_set_dn_by_oid(certificate, "2.5.4.3", 0, name, UInt32(name.utf8.count))
        gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name, UInt32(name.utf8.count), UInt32(GNUTLS_FSAN_SET))
        for (kind, bytes) in others {
            gnutls_x509_crt_set_subject_alt_name(certificate, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND))
        }
        gnutls_x509_crt_set_basic_constraints(certificate, 1, -1)
        gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0)
        self.name = name
        self.key = key
        self.certificate = certificate
    }

    deinit {
        gnutls_x509_crt_deinit(certificate)
        gnutls_x509_privkey_deinit(key)
    }

    /// The certificate as text (PEM).
    package var text: String {
        var bytes = [UInt8](repeating: 0, count: 8192), size = bytes.count
        gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_PEM, &bytes, &size)
        return String(decoding: bytes.prefix(size), as: UTF8.self)
    }
}
