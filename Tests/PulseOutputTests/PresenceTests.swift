import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("The presence of the sound server")
    struct PresenceTests {
        /// What a presence has reported, and a wait for it.
        private final class Reports: Sendable {
            private let all = Mutex<[OutputPresence]>([])
            private let signal = WakeSignal()

            func append(_ presence: OutputPresence) {
                all.withLock { $0.append(presence) }
                signal.raise()
            }

            /// Waits until the newest report meets the condition; false after ten seconds.
            func wait(until condition: (OutputPresence) -> Bool) -> Bool {
                let deadline = MonotonicClock().now + 10
                while true {
                    if let last = all.withLock({ $0.last }), condition(last) { return true }
                    guard signal.wait(until: deadline) else { return false }
                }
            }
        }

        @Test("the devices are reported at the start and when one appears, and the absence when the server dies")
        func follows() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            let reports = Reports()
            let presence = PulsePresence(server: server.address) { reports.append($0) }
            #expect(reports.wait { $0 == .present(devices: [PrivatePulseServer.sinkName]) })
            try server.control("load-module", "module-null-sink", "sink_name=usb")
            #expect(reports.wait { $0 == .present(devices: [PrivatePulseServer.sinkName, "usb"]) })
            server.crash()
            #expect(reports.wait { $0 == .absent })
            withExtendedLifetime(presence) {}
        }

        @Test("a server that is stopped is absent, and present again when it continues, although its socket does not change")
        func frozen() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            server.freeze()
            let reports = Reports()
            let presence = PulsePresence(server: server.address) { reports.append($0) }
            #expect(reports.wait { $0 == .absent })
            server.thaw()
            #expect(reports.wait { $0 == .present(devices: [PrivatePulseServer.sinkName]) })
            withExtendedLifetime(presence) {}
        }

        @Test("a server that appears is found by its socket, in a folder that did not exist")
        func appears() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "presence-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let socket = folder.appending(path: "run/pulse/native")
            let reports = Reports()
            let presence = PulsePresence(server: "unix:" + socket.path) { reports.append($0) }
            #expect(reports.wait { $0 == .absent })
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            try FileManager.default.createDirectory(at: socket.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: socket.path, withDestinationPath: String(server.address.dropFirst("unix:".count)))
            #expect(reports.wait { $0 != .absent })
            withExtendedLifetime(presence) {}
        }
    }

    @Suite("The socket of the sound server")
    struct SocketTests {
        @Test(
            "a server of this machine has a socket, and one of another machine has none",
            arguments: [
                ("unix:/tmp/a/native", "/tmp/a native"), ("/tmp/a/native", "/tmp/a native"), ("{3f2a}unix:/run/x", "/run x"),
                ("unix:/a/b unix:/c/d", "/a b"), ("unix:/native", "/ native"), ("tcp:host:4713", nil), ("host", nil), ("", nil),
            ] as [(String, String?)])
        func path(server: String, expected: String?) {
            #expect(PulseSocket.path(of: server).map { "\($0.folder) \($0.name)" } == expected)
        }
    }
}
