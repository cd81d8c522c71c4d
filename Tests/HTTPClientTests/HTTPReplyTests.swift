import Testing

@testable import HTTPClient

@Suite("HTTP response heads")
struct HTTPReplyTests {
    @Test("HTTP response heads are parsed, and anything else is refused")
    func heads() throws {
        let reply = try #require(HTTPReply(Array("HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/20\r\nCONTENT-LENGTH:  5 \r\nX".utf8)))
        #expect(reply.status == 206 && reply.contentLength == 5)
        #expect(reply.contentRange?.first == 5 && reply.contentRange?.length == 20)
        #expect(HTTPReply(Array("ICY 200 OK\n".utf8))?.status == 200)
        for bad in ["", "HTTP/1.1", "HTTP/2 200 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1 99 OK", "GET / HTTP/1.1"] {
            #expect(HTTPReply(Array(bad.utf8)) == nil, "\(bad)")
        }
        let odd = try #require(HTTPReply(Array("HTTP/1.1 200 OK\r\nContent-Length: -5\r\nContent-Range: bytes 9-1/x".utf8)))
        #expect(odd.contentLength == nil)
    }
}
