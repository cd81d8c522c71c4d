import Foundation
import Glibc
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Certificates of servers")
struct CertificateTests {
    /// Opens a medium on a server with a certificate, whose URL has the name "localhost". Returns the error.
    private func failure(_ identity: TLSIdentity, trust: (TLSIdentity) throws -> TLSTrust = { try $0.trust }) throws -> PlaybackError? {
        let server = try KeptServer(identity) { .part(of: [1, 2, 3], $0) }
        defer { server.stop() }
        let source = try HTTPSource(
            url: "https://localhost:\(server.port)/", headers: [], allowsPrivateAddresses: true, trust: trust(identity), interrupt: Interrupt())
        do throws(PlaybackError) { try source.open() } catch { return error }
        #expect(try source.rest() == [1, 2, 3])
        return nil
    }

    @Test("a certificate for the name of the server is accepted, and one for another name is refused with an error that says so")
    func name() throws {
        #expect(try failure(TLSIdentity("localhost")) == nil)
        let error = try failure(TLSIdentity("evil.example"))
        #expect(error?.message == "The server's certificate belongs to another name: evil.example instead of localhost.")
        #expect(error?.reason == .certificateInvalid && error.map { RetryPolicy.Failure($0) } == .final)
    }

    @Test("an untrusted certificate is refused with an error that says so")
    func unknown() throws {
        let error = try failure(TLSIdentity("localhost")) { try TLSIdentity($0.name).trust }
        #expect(error?.code == .network && error?.message == "The issuer of the server's certificate (localhost) is not trusted.")
        #expect(error?.reason == .certificateUnknownIssuer && error.map { RetryPolicy.Failure($0) } == .final)
    }

    /// The dates of a time that is some seconds from now, as in "2026-01-31": two if the test runs at midnight.
    private func dates(_ seconds: Int) -> [String] {
        [0, 60].map { late in
            var time = time_t(SystemWallClock().secondsSince1970) + seconds - late, parts = tm()
            gmtime_r(&time, &parts)
            return String(format: "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        }
    }

    @Test("a certificate out of its dates is refused with an error that names the date")
    func dates() throws {
        let expired = try failure(TLSIdentity("localhost", validity: -864_000...(-432_000)))
        #expect(dates(-432_000).contains { expired?.message == "The server's certificate has expired on \($0)." })
        #expect(expired?.reason == .certificateExpired)
        let early = try failure(TLSIdentity("localhost", validity: 432_000...864_000))
        #expect(
            dates(432_000).contains { early?.message == "The server's certificate is not valid before \($0). Is the date of this machine correct?" })
        #expect(early?.reason == .certificateNotYetValid)
    }

    @Test("the certificates of the files in SSL_CERT_DIR are trusted")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tonearm-\(UUID())", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = try failure(TLSIdentity("localhost")) { identity in
            try identity.text.write(to: folder.appendingPathComponent("issuer.pem"), atomically: true, encoding: .utf8)
            return TLSTrust(file: nil, folder: folder.path)
        }
        #expect(error == nil)
    }

    @Test("an SSL_CERT_FILE that cannot be read is named by the error")
    func missingFile() throws {
        let error = try failure(TLSIdentity("localhost")) { _ in TLSTrust(file: "/nonexistent.pem", folder: nil) }
        #expect(error?.reason == .certificateUnknownIssuer && error?.message.contains("SSL_CERT_FILE") == true)
    }

    @Test("the text of a certificate in an error is printable and of limited length")
    func hostileText() throws {
        let name = "\u{7}" + String(repeating: "a", count: 60)
        let message = try #require(failure(TLSIdentity(name)) { try TLSIdentity($0.name).trust }?.message)
        #expect(message.utf8.allSatisfy { 0x20...0x7E ~= $0 } && message.utf8.count < 200)
    }

    @Test("a server without TLS is an error that may pass")
    func garbage() throws {
        // The proxy's answer is followed by bytes that are not TLS.
        let proxy = try MediaServer { _ in .raw("HTTP/1.1 200 Connected\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n") }
        defer { proxy.stop() }
        let source = try HTTPSource(
            url: "https://music.example/", headers: [], allowsPrivateAddresses: true,
            proxies: ProxyRules { $0 == "https_proxy" ? "http://127.0.0.1:\(proxy.port)" : nil }, interrupt: Interrupt())
        let error = #expect(throws: PlaybackError.self) { try source.open() }
        #expect(error?.reason == .secureConnectionFailed && error.map { RetryPolicy.Failure($0) } == .unreachable)
    }
}
