import Testing

@testable import tonearm

@Suite("The address and the choice of a daemon")
struct RemoteAddressTests {
    @Test(
        "an address is a host with a port, or a URL with the path of a proxy",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1:80"), ("music.local", "music.local:7711"), ("[::1]:7", "[::1]:7"), ("[::1]", "[::1]:7711"),
            ("http://music.local", "music.local:80"), ("HTTP://h:81/", "h:81"), ("http://h/tonearm/", "http://h:80/tonearm"),
            ("http://[fe80::1%eth0]:9/a/b", "http://[fe80::1%eth0]:9/a/b"),
        ])
    func valid(text: String, description: String) { #expect(RemoteAddress(text)?.description == description) }

    @Test(
        "anything else is refused",
        arguments: [
            "", ":80", "h:", "h:0", "h:65536", "h:1x", "https://h", "h/path", "http://", "http://h?x", "a b", "::1", "[::1", "[]:1", "u@h", "h\n",
            "http://h/\u{7F}", "héé:1", String(repeating: "h", count: 1025),
        ])
    func invalid(text: String) { #expect(RemoteAddress(text) == nil) }

    private let records = [
        RuntimeRecord(process: 2, address: "127.0.0.1:2", tokenFile: "/two", started: 2),
        RuntimeRecord(process: 1, address: "127.0.0.1:1", tokenFile: nil, started: 1),
    ]
    private func server(_ address: String?, tokenFile: String? = nil, records: [RuntimeRecord]? = nil) -> RemoteServer {
        var options = RemoteOptions()
        options.address = address.flatMap(RemoteAddress.init)
        return RemoteServer(options, tokenFile: tokenFile, records: records ?? self.records)
    }

    @Test("without an address the newest daemon is used with its token, and without a daemon the standard address without a token")
    func found() {
        #expect(server(nil).address.description == "127.0.0.1:2")
        #expect(server(nil).tokenFile == "/two")
        #expect(server(nil, records: []).address.description == "127.0.0.1:7711")
        #expect(server(nil, records: []).tokenFile == nil)
    }

    @Test("the token of a daemon on this machine is sent to its own address only")
    func ownToken() {
        #expect(server("127.0.0.1:2").tokenFile == "/two")
        #expect(server("127.0.0.1:1").tokenFile == nil)
        #expect(server("evil.example:2").tokenFile == nil)
        #expect(server("http://127.0.0.1:2/x").tokenFile == nil)
    }

    @Test("an option names the token for any address")
    func givenToken() {
        #expect(server("evil.example:2", tokenFile: "/mine").tokenFile == "/mine")
        #expect(server(nil, tokenFile: "/mine").tokenFile == "/mine")
    }
}
