import CGnuTLS
import Foundation
import Glibc
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import HTTPClient

@Suite("TLS connections")
struct TLSSessionTests {
    /// A transport for TLS: one end of a pair of connected sockets.
    private final class Wire: TLSTransport, Sendable {
        private let descriptor: Int32
        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }
        func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
        func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count < 0 ? nil : count
        }
    }

    /// Starts a TLS server on a thread. It reads a line, and answers with the host name that the client has requested.
    private func serve(_ identity: TLSIdentity, on descriptor: Int32) -> WorkerThread {
        WorkerThread(name: "server") {
            var credentials: gnutls_certificate_credentials_t?, session: gnutls_session_t?
            gnutls_certificate_allocate_credentials(&credentials)
            var list = identity.certificate
            gnutls_certificate_set_x509_key(credentials, &list, 1, identity.key)
            gnutls_init(&session, UInt32(GNUTLS_SERVER))
            gnutls_set_default_priority(session)
            gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
            gnutls_transport_set_int2(session, descriptor, descriptor)
            if gnutls_handshake(session) >= 0 {
                var name = [UInt8](repeating: 0, count: 256), length = name.count, kind: UInt32 = 0, line = [UInt8](repeating: 0, count: 64)
                if gnutls_server_name_get(session, &name, &length, &kind, 0) < 0 { length = 0 }
                if gnutls_record_recv(session, &line, line.count) > 0 {
                    let answer = Array("asked for ".utf8) + name[..<length]
                    gnutls_record_send(session, answer, answer.count)
                    gnutls_bye(session, GNUTLS_SHUT_WR)
                }
            }
            gnutls_deinit(session)
            gnutls_certificate_free_credentials(credentials)
            close(descriptor)
        }
    }

    /// Connects a client that requests `host` to a server with a certificate for `name`. Returns the text that the client receives; throws the error
    /// of the connection.
    private func conversation(
        _ host: String, certificateFor name: String, validity: ClosedRange<Int> = -60...3600,
        others: [(gnutls_x509_subject_alt_name_t, [UInt8])] = [],
        credentials: (TLSIdentity) throws -> TLSSession.Credentials = { $0.trust }
    ) throws -> String {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let identity = TLSIdentity(name, validity: validity, others: others), trusted = try credentials(identity)
        let server = serve(identity, on: ends[1])
        let wire = Wire(ends[0])
        defer { server.join() }
        do {
            let session = try TLSSession(wire, host: host, credentials: trusted)
            try session.write(Array("hello\r\n".utf8))
            var bytes = [UInt8](repeating: 0, count: 256), text: [UInt8] = []
            while true {
                let count = try bytes.withUnsafeMutableBytes { try session.read(into: $0) }
                if count == 0 { return String(decoding: text, as: UTF8.self) }
                text += bytes[..<count]
            }
        } catch {
            // The client has ended the handshake with an error. The socket is shut down, because otherwise the server would wait for the handshake's
            // end.
            shutdown(ends[0], Int32(SHUT_RDWR))
            throw error
        }
    }

    @Test("the server receives the requested name, and data is transferred")
    func name() throws {
        #expect(try conversation("music.example", certificateFor: "music.example") == "asked for music.example")
    }

    @Test("a certificate for another name is refused, with an error that says so")
    func other() {
        let error = #expect(throws: PlaybackError.self) { try conversation("music.example", certificateFor: "evil.example") }
        #expect(error?.message == "The server's certificate belongs to another name: evil.example instead of music.example.")
        #expect(error?.reason == .certificateInvalid)
        #expect(throws: PlaybackError.self) { try conversation("127.0.0.1", certificateFor: "music.example") }
    }

    @Test("the error names the names and addresses of the certificate, also after entries of other kinds")
    func addresses() {
        // The first address consists of letters ("Hell").
        let others: [(gnutls_x509_subject_alt_name_t, [UInt8])] =
            ["a", "b", "c", "d"].map { (GNUTLS_SAN_URI, Array("https://\($0).example/".utf8)) } + [
                (GNUTLS_SAN_RFC822NAME, Array("a@b.example".utf8)), (GNUTLS_SAN_IPADDRESS, [0x48, 0x65, 0x6C, 0x6C]),
                (GNUTLS_SAN_IPADDRESS, [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]),
                (GNUTLS_SAN_DNSNAME, Array("second.example".utf8)), (GNUTLS_SAN_DNSNAME, Array("third.example".utf8)),
            ]
        let error = #expect(throws: PlaybackError.self) { try conversation("music.example", certificateFor: "evil.example", others: others) }
        let names = "evil.example, 72.101.108.108, 2001:db8::1, second.example"
        #expect(error?.message == "The server's certificate belongs to another name: \(names) instead of music.example.")
    }

    @Test("an untrusted certificate is refused with an error that says so")
    func unknown() {
        let error = #expect(throws: PlaybackError.self) {
            try conversation("music.example", certificateFor: "music.example") { TLSIdentity($0.name).trust }
        }
        #expect(error?.code == .network && error?.message == "The issuer of the server's certificate (music.example) is not trusted.")
        #expect(error?.reason == .certificateUnknownIssuer)
    }

    @Test("a certificate out of its dates is refused with an error that names the date")
    func dates() {
        let expired = #expect(throws: PlaybackError.self) {
            try conversation("music.example", certificateFor: "music.example", validity: -864_000...(-432_000))
        }
        let now = time_t(SystemWallClock().secondsSince1970)
        // The date is one of two if the test runs at midnight.
        let ends = [0, 60].compactMap { CertificateChain.date(now - 432_000 - $0) }
        #expect(ends.contains { expired?.message == "The server's certificate has expired on \($0)." })
        #expect(expired?.reason == .certificateExpired)
        let early = #expect(throws: PlaybackError.self) {
            try conversation("music.example", certificateFor: "music.example", validity: 432_000...864_000)
        }
        let starts = [0, 60].compactMap { CertificateChain.date(now + 432_000 - $0) }
        #expect(
            starts.contains {
                early?.message == "The server's certificate is not valid before \($0). Is the date of this machine correct?"
            })
        #expect(early?.reason == .certificateNotYetValid)
    }

    @Test("the certificates of SSL_CERT_FILE and of the files in SSL_CERT_DIR are trusted")
    func trustedFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tonearm-\(UUID())", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("issuer.pem")
        for isFolder in [false, true] {
            let answer = try conversation("music.example", certificateFor: "music.example") { identity in
                try identity.text.write(to: file, atomically: true, encoding: .utf8)
                return TLSSession.Credentials(file: isFolder ? nil : file.path, folder: isFolder ? folder.path : nil)
            }
            #expect(answer == "asked for music.example")
        }
    }

    @Test("an SSL_CERT_FILE that cannot be read is named by the error of the certificate")
    func missingFile() {
        let error = #expect(throws: PlaybackError.self) {
            try conversation("music.example", certificateFor: "music.example") { _ in
                TLSSession.Credentials(file: "/nonexistent.pem", folder: nil)
            }
        }
        #expect(error?.reason == .certificateUnknownIssuer)
        #expect(error?.message.hasSuffix("SSL_CERT_FILE names no file with certificates that can be read.") == true)
    }

    @Test("the text of a certificate in an error is printable and of limited length")
    func hostileText() {
        #expect(CertificateChain.printable(Array("a\u{7}b\r\nc d".utf8)[...]) == "a?b??c d")
        #expect(CertificateChain.printable([0xFF, 0xFE, 0xFD, 0x41]) == nil && CertificateChain.printable([]) == nil)
        #expect(CertificateChain.printable([UInt8](repeating: 0x41, count: 300)[...])?.utf8.count == CertificateChain.textLimit)
        #expect(CertificateChain.date(0) == nil && CertificateChain.date(.max) == nil && CertificateChain.date(1_769_860_800) == "2026-01-31")
    }

    @Test(
        "the reason why a certificate is not valid is named in words",
        arguments: [
            (GNUTLS_CERT_EXPIRED.rawValue, "The server's certificate has expired."),
            (GNUTLS_CERT_EXPIRED.rawValue | GNUTLS_CERT_SIGNER_NOT_FOUND.rawValue, "The server's certificate has expired."),
            (GNUTLS_CERT_NOT_ACTIVATED.rawValue, "The server's certificate is not valid yet. Is the date of this machine correct?"),
            (GNUTLS_CERT_REVOKED.rawValue, "The server's certificate was revoked."), (0, "The server's certificate is not valid."),
        ])
    func reasons(_ status: UInt32, _ sentence: String) { #expect(CertificateDefect(status).sentence() == sentence) }

    @Test("the connection goes to the address that was checked, whatever the name resolves to now")
    func address() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, address, &size) == 0
            }
        }
        try #require(isListening)
        let identity = TLSIdentity("music.example"), port = UInt16(bigEndian: place.sin_port)
        let server = WorkerThread(name: "listener") {
            let accepted = accept(listener, nil, nil)
            serve(identity, on: accepted).join()
        }
        let url = try RemoteURL("https://music.example:\(port)/")
        let connection = try Connection(
            url, addresses: NetworkAddress.resolve("127.0.0.1"), interrupt: Interrupt(), credentials: identity.trust)
        try connection.write(Array("hello\r\n".utf8))
        #expect(String(decoding: try connection.read(upTo: 100), as: UTF8.self) == "asked for music.example")
        server.join()
        close(listener)
    }

    @Test("a peer without TLS gives an error")
    func garbage() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let line = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        #expect(send(ends[1], line, line.count, 0) == line.count)
        shutdown(ends[1], Int32(SHUT_WR))
        defer { close(ends[1]) }
        #expect(throws: PlaybackError.self) { try TLSSession(Wire(ends[0]), host: "music.example") }
    }
}
