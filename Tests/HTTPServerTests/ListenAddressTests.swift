@testable import HTTPServer
import Testing

@Suite struct ListenAddressTests {
    @Test(
        "an address and a port are parsed, and written in canonical form",
        arguments: [
            ("127.0.0.1:7711", "127.0.0.1", 7711, true, "127.0.0.1:7711"), ("[::1]:7711", "::1", 7711, true, "[::1]:7711"),
            ("0.0.0.0:80", "0.0.0.0", 80, false, "0.0.0.0:80"), ("[::]:0", "::", 0, false, "[::]:0"),
            ("localhost:1", "127.0.0.1", 1, true, "127.0.0.1:1"), ("192.168.1.20:65535", "192.168.1.20", 65535, false, "192.168.1.20:65535"),
            ("[2001:DB8:0::1]:9", "2001:db8::1", 9, false, "[2001:db8::1]:9"), ("127.9.9.9:5", "127.9.9.9", 5, true, "127.9.9.9:5"),
        ] as [(String, String, UInt16, Bool, String)])
    func parses(text: String, host: String, port: UInt16, isLoopback: Bool, description: String) throws {
        let address = try ListenAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.isLoopback == isLoopback)
        #expect(address.description == description)
    }

    @Test(
        "text that is not an address is refused in one sentence",
        arguments: [
            "", ":", "7711", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 1", "::1:7711",
            "[::1]", "[::1]7711",
            "[127.0.0.1]:1", "example.org:80", "*:80", "1:80", "127.1:80", "256.0.0.1:80", "127.0.0.1:7711x",
        ])
    func refuses(_ text: String) {
        let error = #expect(throws: ServerError.malformedAddress(text)) { try ListenAddress(text) }
        #expect(error?.description.hasPrefix("\"\(text)\" is not an address to listen on") == true)
    }

    @Test("an IPv4-mapped IPv6 address is the same client as the plain IPv4 address")
    func mapped() throws {
        let plain = try #require(SocketAddress(numericHost: "192.168.1.7", port: 1))
        let mapped = try #require(SocketAddress(numericHost: "::ffff:192.168.1.7", port: 2))
        #expect(plain.key == mapped.key)
        #expect(mapped.numericHost == "192.168.1.7")
        #expect(try #require(SocketAddress(numericHost: "::ffff:127.0.0.1", port: 2)).key.isLoopback)
        #expect(!plain.key.isLoopback)
    }
}

@Suite struct ConnectionTableTests {
    private func address(_ host: String) throws -> SocketAddress { try #require(SocketAddress(numericHost: host, port: 1)) }

    @Test("a proxy has its own limit, and is counted apart from the other addresses in its network")
    func proxy() throws {
        let table = ConnectionTable(
            limit: 100, limitPerNetwork: 2, limitOfProxy: 3, isProxy: { $0 == "2001:db8:1:2::1" }, sweepsPerRequest: 1, sweepsPerResponse: 1,
            sweepsPerPause: 1)
        let (proxy, neighbour) = (try address("2001:db8:1:2::1"), try address("2001:db8:1:2::2"))
        var passes = (0..<2).map { _ in table.enter(proxy) }
        #expect(table.admits(proxy) && table.admits(neighbour))
        passes.append(table.enter(proxy))
        #expect(!table.admits(proxy) && table.admits(neighbour))
        passes += (0..<2).map { _ in table.enter(neighbour) }
        #expect(!table.admits(neighbour))
        passes.removeFirst()
        #expect(table.admits(proxy))
    }

    @Test("each address has its own limit, loopback has none, and a released connection is free again")
    func perAddress() throws {
        let table = ConnectionTable(limit: 100, limitPerNetwork: 2, sweepsPerRequest: 1, sweepsPerResponse: 1, sweepsPerPause: 1)
        let (one, other, loopback) = (try address("192.168.1.1"), try address("fe80::1"), try address("127.0.0.1"))
        var passes = [table.enter(one), table.enter(one)]
        #expect(!table.admits(one))
        #expect(table.admits(other))
        let local = (0..<50).map { _ in table.enter(loopback) }
        #expect(table.admits(loopback))
        passes.removeLast()
        #expect(table.admits(one))
        withExtendedLifetime((passes, local)) {}
    }

    @Test("all addresses of one IPv6 network share a limit; other networks and mapped IPv4 addresses have their own")
    func perNetwork() throws {
        let table = ConnectionTable(limit: 100, limitPerNetwork: 2, sweepsPerRequest: 1, sweepsPerResponse: 1, sweepsPerPause: 1)
        let passes = [table.enter(try address("2001:db8:1:2::1")), table.enter(try address("2001:db8:1:2:ffff::9"))]
        #expect(!table.admits(try address("2001:db8:1:2::3")))
        #expect(table.admits(try address("2001:db8:1:3::1")))
        let mapped = [table.enter(try address("::ffff:192.168.1.1")), table.enter(try address("192.168.1.1"))]
        #expect(!table.admits(try address("::ffff:192.168.1.1")))
        #expect(table.admits(try address("::ffff:192.168.1.2")))
        withExtendedLifetime((passes, mapped)) {}
    }

    @Test("loopback can have a limit, for a proxy")
    func loopbackLimit() throws {
        let table = ConnectionTable(
            limit: 100, limitPerNetwork: 2, limitOfLoopback: 3, sweepsPerRequest: 1, sweepsPerResponse: 1, sweepsPerPause: 1)
        let loopback = try address("127.0.0.1")
        let passes = (0..<3).map { _ in table.enter(loopback) }
        #expect(!table.admits(loopback))
        withExtendedLifetime(passes) {}
    }

    @Test("the total limit applies to loopback too")
    func total() throws {
        let table = ConnectionTable(limit: 2, limitPerNetwork: 2, sweepsPerRequest: 1, sweepsPerResponse: 1, sweepsPerPause: 1)
        let loopback = try address("::1")
        var passes = [table.enter(loopback), table.enter(try address("10.0.0.1"))]
        #expect(!table.admits(loopback))
        passes.removeAll()
        #expect(table.admits(loopback))
    }
}
