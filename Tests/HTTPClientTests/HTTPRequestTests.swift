import PlaybackEngine
import Testing

@testable import HTTPClient

@Suite("Requests for remote media")
struct HTTPRequestTests {
    /// Returns the lines of a request to `url` for a medium at `http://user:secret@h.example/a`, in lower case and in alphabetical order, without the
    /// first line.
    private func lines(_ headers: [(String, String)], to url: String = "http://h.example/a") throws -> [String] {
        let origin = try RemoteURL("http://user:secret@h.example/a")
        let request = HTTPRequest(origin, headers: headers.map { MetadataEntry(key: $0.0, value: $0.1) })
        let text = String(decoding: try request.bytes(to: RemoteURL(url), range: "0-", validator: nil), as: UTF8.self)
        #expect(text.hasPrefix("GET /a HTTP/1.1\r\n") && text.hasSuffix("\r\n\r\n"))
        return text.split(separator: "\r\n").dropFirst().map { $0.lowercased() }.sorted()
    }

    @Test("a custom User-Agent, Accept or Authorization replaces the program's own, whatever the case of its name")
    func replaced() throws {
        let own = ["accept-encoding: identity", "host: h.example", "range: bytes=0-"]
        let credentials = "authorization: basic dxnlcjpzzwnyzxq="
        #expect(try lines([]) == (own + [credentials, "accept: */*", "user-agent: tonearm"]).sorted())
        #expect(try lines([("User-Agent", "Radio")]) == (own + [credentials, "accept: */*", "user-agent: radio"]).sorted())
        #expect(try lines([("ACCEPT", "audio/*")]) == (own + [credentials, "accept: audio/*", "user-agent: tonearm"]).sorted())
        #expect(try lines([("authorization", "Bearer 1")]) == (own + ["authorization: bearer 1", "accept: */*", "user-agent: tonearm"]).sorted())
    }

    @Test("another origin gets the program's own fields, and no custom ones")
    func otherOrigin() throws {
        let custom = [("User-Agent", "Radio"), ("Accept", "audio/*"), ("Authorization", "Bearer 1")]
        let own = ["accept-encoding: identity", "accept: */*", "host: other.example", "range: bytes=0-", "user-agent: tonearm"]
        #expect(try lines(custom, to: "http://other.example/a") == own.sorted())
    }
}
