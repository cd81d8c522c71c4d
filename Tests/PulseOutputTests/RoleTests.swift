import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("The role of a stream")
    struct RoleTests {
        /// Whether the server lists a stream with this role.
        private func isListed(_ role: StreamRole, _ server: PrivatePulseServer) throws -> Bool {
            try server.lists("media.role = \"\(role.rawValue)\"", among: "sink-inputs")
        }

        @Test("the server is told what the sound is for, from the first moment and whenever it changes (R-LNX-01, R-LNX-20)")
        func roles() throws {
            let server = try PrivatePulseServer()
            defer { server.stop() }
            let sink = PulseOutputProvider(server: server.address).makeSink()
            sink.setRole(.video)
            try sink.open(.compactDisc, source: RenderSource(minimumCapacity: 1_000, channelCount: 2), base: 0) { _ in }
            defer { sink.close() }
            #expect(try isListed(.video, server))
            for role in StreamRole.allCases {
                sink.setRole(role)
                // Sent, not waited for: the server has it as soon as it answers anything else.
                _ = try sink.flush()
                #expect(try isListed(role, server))
            }
        }
    }
}
