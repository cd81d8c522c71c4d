import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("The role of a stream")
    struct RoleTests {
        /// Returns whether the server lists a stream with the role `role`.
        private func isListed(_ role: StreamRole, _ server: PrivatePulseServer) throws -> Bool {
            try server.lists("media.role = \"\(role.rawValue)\"", among: "sink-inputs")
        }

        @Test("the server knows the role of the stream from the start and after each change (R-LNX-01, R-LNX-20)")
        func roles() throws {
            let server = try PrivatePulseServer()
            defer { server.stop() }
            let sink = PulseOutputProvider.patient(server.address).makeSink()
            sink.setRole(.video)
            try sink.open(.compactDisc, source: RenderRing(minimumCapacity: 1_000, channelCount: 2), base: 0) { _ in }
            defer { sink.close() }
            #expect(try isListed(.video, server))
            for role in StreamRole.allCases {
                sink.setRole(role)
                // `setRole` does not wait for a reply. The server handles the role before the next command (`flush`), so it knows the role after the
                // flush.
                _ = try sink.flush()
                #expect(try isListed(role, server))
            }
        }
    }
}
