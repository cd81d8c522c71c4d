import PlaybackEngine
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

    @Test("the volume of a sink can be changed and muted, and is listed")
    func volume() throws {
        let server = try PrivatePulseServer()
        func first() -> PulseQuery.Sink? { PulseQuery.sinks(server: server.address, timeout: 5).first }
        let name = try #require(first()?.name)
        #expect(PulseQuery.setVolume(of: name, volume: 0.5, isMuted: nil, server: server.address, timeout: 5))
        #expect(first()?.volume == DeviceVolume(volume: 0.5, isMuted: false))
        #expect(PulseQuery.setVolume(of: name, volume: nil, isMuted: true, server: server.address, timeout: 5))
        #expect(first()?.volume == DeviceVolume(volume: 0.5, isMuted: true))
        #expect(PulseQuery.setVolume(of: name, volume: 9, isMuted: false, server: server.address, timeout: 5))
        #expect(first()?.volume == DeviceVolume(volume: DeviceVolume.maximum, isMuted: false))
        #expect(!PulseQuery.setVolume(of: "none", volume: 0.5, isMuted: nil, server: server.address, timeout: 5))
        #expect(!PulseQuery.setVolume(of: name, volume: 0.5, isMuted: nil, server: "unix:/nonexistent/socket", timeout: 1))
    }

    @Test("without a server that answers the list is empty")
    func none() {
        #expect(PulseQuery.sinks(server: "unix:/nonexistent/socket", timeout: 5).isEmpty)
        #expect(PulseQuery.sinks(server: "unix:/nonexistent/socket", timeout: 0).isEmpty)
    }
}
