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
        let connection = try Connection(RemoteURL(server.url("/a.flac")), addresses: addresses, interrupt: Interrupt())
        #expect(connection.address?.text == "127.0.0.1")
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
