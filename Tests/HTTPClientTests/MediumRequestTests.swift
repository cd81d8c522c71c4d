import PlaybackEngine
import Testing

@testable import HTTPClient

@Suite("Requests for remote media")
struct MediumRequestTests {
    /// Returns the header fields of a request to `url` for a medium at `http://user:secret@h.example/a`, in lower case and in alphabetical order.
    private func lines(_ headers: [(String, String)], to url: String = "http://h.example/a") throws -> [String] {
        let origin = try RemoteURL("http://user:secret@h.example/a")
        let request = MediumRequest(origin, headers: headers.map { MetadataEntry(key: $0.0, value: $0.1) })
        return try request.fields(to: RemoteURL(url), range: "0-", validator: nil).map { $0.lowercased() }.sorted()
    }

    @Test("a custom User-Agent, Accept or Authorization replaces the program's own, whatever the case of its name")
    func replaced() throws {
        let own = ["accept-encoding: identity", "range: bytes=0-"]
        let credentials = "authorization: basic dxnlcjpzzwnyzxq="
        #expect(try lines([]) == (own + [credentials, "accept: */*", "user-agent: tonearm"]).sorted())
        #expect(try lines([("User-Agent", "Radio")]) == (own + [credentials, "accept: */*", "user-agent: radio"]).sorted())
        #expect(try lines([("ACCEPT", "audio/*")]) == (own + [credentials, "accept: audio/*", "user-agent: tonearm"]).sorted())
        #expect(try lines([("authorization", "Bearer 1")]) == (own + ["authorization: bearer 1", "accept: */*", "user-agent: tonearm"]).sorted())
    }

    @Test("another origin gets the program's own fields, and no custom ones")
    func otherOrigin() throws {
        let custom = [("User-Agent", "Radio"), ("Accept", "audio/*"), ("Authorization", "Bearer 1")]
        let own = ["accept-encoding: identity", "accept: */*", "range: bytes=0-", "user-agent: tonearm"]
        #expect(try lines(custom, to: "http://other.example/a") == own.sorted())
    }

    @Test(
        "what a server states of its medium goes into later requests only if it is an entity tag or a date (RFC 9110)",
        arguments: [
            ("ETag: \"a-1\"", "\"a-1\""), ("ETag: \"\"", "\"\""), ("ETag: W/\"a\"", nil), ("ETag: a", nil), ("ETag: \"a", nil),
            ("ETag: \"a\"b\"", nil),
            ("ETag: \"a\u{1}b\"", nil), ("ETag: \"a\rX: y\"", nil), ("ETag: \"a\u{7F}\"", nil), ("ETag: \"a b\"", nil), ("ETag: \"", nil),
            ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Last-Modified: Sun\u{1B}[2J", nil),
            ("Last-Modified: 1\r2", nil), ("Last-Modified: ", nil),
        ] as [(String, String?)])
    func validators(_ field: String, _ validator: String?) throws {
        let reply = try #require(HTTPReply(Array("HTTP/1.1 200 OK\r\n\(field)".utf8)))
        #expect(MediumVersion(reply).validator == validator)
    }
}
