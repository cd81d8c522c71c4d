import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("Transfer statistics")
struct TransferTests {
    @Test("a connection has the address that has answered, not the first address of the server's name (R-LOG-02)")
    func connectedAddress() throws {
        let server = try MediaServer { _ in .bytes([], ranges: true) }
        defer { server.stop() }
        // The server listens on 127.0.0.1 only.
        let addresses = try NetworkAddress.resolve("127.0.0.2") + NetworkAddress.resolve("127.0.0.1")
        let url = try RemoteURL("http://music.example:\(server.port)/a.flac")
        let route = HTTPExchange.Route(url: url, proxy: nil, addresses: addresses, trust: .system, isFresh: false)
        let exchange = try HTTPExchange(
            route, fields: [], cookie: nil, connections: HTTPConnections(), interrupt: Interrupt(), deadline: MonotonicClock().now + 10)
        #expect(try exchange.receiveHead().status == 416 && exchange.address?.text == "127.0.0.1")
    }

    @Test("a connection leads only to an address that was permitted, whatever the name resolves to now")
    func permittedAddress() throws {
        let server = try MediaServer { _ in .bytes([1], ranges: true) }
        defer { server.stop() }
        let permitted = try NetworkAddress.resolve("127.0.0.1"), url = try RemoteURL("http://[::1]:\(server.port)/")
        let route = HTTPExchange.Route(url: url, proxy: nil, addresses: permitted, trust: .system, isFresh: false)
        let exchange = try HTTPExchange(
            route, fields: [], cookie: nil, connections: HTTPConnections(), interrupt: Interrupt(), deadline: MonotonicClock().now + 10)
        let error = #expect(throws: PlaybackError.self) { try exchange.receiveHead() }
        #expect(error?.code == .addressNotAllowed && server.requests.isEmpty)
    }

    @Test("an idle connection is not used for a request whose permitted addresses do not include its own")
    func idleConnection() throws {
        let server = try KeptServer { .part(of: [1, 2, 3], $0) }
        defer { server.stop() }
        let connections = try HTTPConnections(), url = try RemoteURL("http://music.example:\(server.port)/")
        func ask(_ address: String) throws -> HTTPExchange {
            let route = HTTPExchange.Route(
                url: url, proxy: nil, addresses: try NetworkAddress.resolve(address), trust: .system, isFresh: false)
            return try HTTPExchange(
                route, fields: ["Range: bytes=0-2"], cookie: nil, connections: connections, interrupt: Interrupt(),
                deadline: MonotonicClock().now + 10)
        }
        for _ in 0..<2 {
            let exchange = try ask("127.0.0.1")
            _ = try exchange.receiveHead()
            #expect(exchange.isComplete)
        }
        #expect(server.connectionCount == 1)
        let other = try ask("127.0.0.2")
        let error = #expect(throws: PlaybackError.self) { try other.receiveHead() }
        #expect(error?.code == .addressNotAllowed && server.requests.count == 2)
    }

    @Test("the lowest and highest rates are measured over 64 KiB each, and address changes are counted (R-LOG-02)")
    func rates() {
        let meter = TransferMeter()
        #expect(meter.reading == TransferMeter.Reading())
        meter.countRequest(to: "192.0.2.1")
        meter.countRequest(to: "192.0.2.1")
        meter.countRequest(to: "192.0.2.2")
        meter.count(bytes: 1_000, seconds: 0.001)
        #expect(meter.reading.fastest == nil, "not enough bytes for a rate")
        meter.count(bytes: 64_536, seconds: 0.999)
        meter.count(bytes: 65_536, seconds: 0.5)
        #expect(meter.reading.slowest == 65_536 * 8 && meter.reading.fastest == 65_536 * 16)
        #expect(meter.reading.requestCount == 3 && meter.reading.addressChangeCount == 1)
    }
}
