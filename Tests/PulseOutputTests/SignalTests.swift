import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    /// Requests and changes of the sound server that concern the stream (R-LNX-02, R-LNX-07, R-LNX-25, R-LNX-27).
    @Suite("Signals", .serialized)
    struct SignalTests {
        private func signal(_ event: AudioSinkEvent) -> StreamSignal? { if case .signal(let signal) = event { signal } else { nil } }

        @Test("suspending and resuming the device are reported, also to a stream that has stopped meanwhile (R-LNX-25)")
        func suspended() throws {
            let rig = try RampRig()
            try rig.start(playing: 10_000)
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "1")
            #expect(rig.events.first(where: signal) == .suspended(true))
            try rig.sink.stop()
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "0")
            #expect(rig.events.first { signal($0) == .suspended(false) ? true : nil } == true)
        }

        @Test("a call makes the server request a music stream to pause, and to resume after the call (R-LNX-02, R-LNX-04)")
        func cork() throws {
            let rig = try RampRig(modules: ["module-role-cork"])
            try rig.start(playing: 10_000)
            let call = PulseOutputProvider.patient(rig.server.address, sinkName: PrivatePulseServer.sinkName).makeSink()
            call.setRole(.phone)
            let source = RenderRing(minimumCapacity: 100_000, channelCount: 2, base: 0)
            try call.open(.compactDisc, source: source, base: 0) { _ in }
            _ = source.write([Float](repeating: 0, count: 100_000), frameCount: 50_000)
            call.sourceDidFill()
            try call.start()
            #expect(rig.events.first(where: signal) == .event("request-cork"))
            try rig.sink.stop()
            call.close()
            #expect(rig.events.first { signal($0) == .event("request-uncork") ? true : nil } == true)
        }

        @Test("a move because the device disappeared is reported as such, and a manual move is not (R-LNX-27, R-LNX-29)")
        func removed() throws {
            let rig = try RampRig(modules: ["module-rescue-streams", "module-null-sink sink_name=other"])
            func moved(to name: String) -> Bool? {
                rig.events.first { if case .changed(let output, let wasRemoved) = $0, output.id == name { wasRemoved } else { nil } }
            }
            try rig.start(playing: 10_000)
            try rig.server.control("move-sink-input", "0", "other")
            #expect(moved(to: "other") == false)
            try rig.server.control("unload-module", "module-null-sink")
            #expect(moved(to: PrivatePulseServer.sinkName) == true)
        }
    }
}
