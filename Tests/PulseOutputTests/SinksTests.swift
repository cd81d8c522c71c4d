import PlaybackTesting
import Testing

@testable import PulseOutput

@Suite("The devices of the sound server")
struct SinksTests {
    @Test("sinks are listed with their names and descriptions")
    func listed() throws {
        let server = try PrivatePulseServer()
        let sinks = PulseQuery.sinks(server: server.address, timeout: 5)
        #expect(!sinks.isEmpty)
        #expect(sinks.allSatisfy { !$0.name.isEmpty && !$0.description.isEmpty })
    }

    @Test("without a server that answers the list is empty")
    func none() {
        #expect(PulseQuery.sinks(server: "unix:/nonexistent/socket", timeout: 5).isEmpty)
        #expect(PulseQuery.sinks(server: "unix:/nonexistent/socket", timeout: 0).isEmpty)
    }
}
