import Glibc
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("Commands and events")
    struct BehaviourTests {
        @Test("volume and mute are heard at once although two seconds are buffered (R-VOL-01, R-VOL-02)")
        func volume() throws {
            let rig = try SteadyRig()
            try rig.settle(at: 16_384)
            rig.sink.setVolume(0.5, isMuted: false)
            #expect(try rig.framesUntil(8_192) < 20_000)
            rig.sink.setVolume(0.5, isMuted: true)
            #expect(try rig.framesUntil(0) < 20_000)
            rig.sink.setVolume(1, isMuted: false)
            #expect(try rig.framesUntil(16_384) < 20_000)
        }

        @Test("a volume set before opening holds from the first frame on, and no other is restored (R-VOL-02)")
        func initialVolume() throws {
            let rig = try SteadyRig(volume: 0.25)
            try rig.settle(at: 4_096)
            #expect(!rig.recording.samples().contains { $0 > 4_100 })
        }

        @Test("a sink opened muted stays silent until it is unmuted (R-VOL-01)")
        func initialMute() throws {
            let rig = try SteadyRig(volume: 1, isMuted: true)
            try rig.play(frames: 20_000)
            #expect(rig.recording.samples().allSatisfy { $0 == 0 })
            rig.sink.setVolume(1, isMuted: false)
            try rig.settle(at: 16_384)
        }

        @Test("where streams and device share one scale of volume, full volume is what the user set the device to (R-VOL-01)")
        func flatVolume() throws {
            let rig = try SteadyRig(volume: 0, settings: ["flat-volumes = yes"], deviceVolume: "50%")
            // PulseAudio's volumes are cubic: 50 % is an eighth.
            for (gain, expected) in [(Float(1), Int16(2_048)), (0.5, 1_024), (0.25, 512), (1, 2_048), (0, 0), (1, 2_048)] {
                rig.sink.setVolume(gain, isMuted: false)
                try rig.settle(at: expected)
            }
            #expect(!rig.recording.samples().contains { $0 > 2_060 })
        }

        @Test("a server that dies is told once as lost, every call then says so, and closing returns")
        func serverDies() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            try rig.play(frames: 10_000)
            rig.server.crash()
            let error = try #require(rig.events.first { if case .lost(let error) = $0 { error } else { nil } })
            #expect(error.code == .outputUnavailable)
            #expect(error.underlying?.domain == "PulseAudio")
            #expect(!rig.sink.playhead.isRunning)
            #expect(throws: error) { try rig.sink.start() }
            #expect(throws: error) { try rig.sink.stop() }
            #expect(throws: error) { try rig.sink.flush() }
            rig.sink.sourceDidFill()
            rig.sink.setVolume(0.5, isMuted: false)
            rig.sink.close()
            #expect(rig.events.all.count { if case .lost = $0 { true } else { false } } == 1)
        }

        @Test("a server that dies while a call waits for it ends the call at once")
        func serverDiesUnderACall() throws {
            let rig = try RampRig()
            rig.server.freeze()
            let killer = WorkerThread(name: "killer") { [server = rig.server] in
                // The call has been sent when the server's socket holds it; a moment later is as good as any.
                _ = PrivatePulseServer.wait(seconds: 0.2) { false }
                server.crash()
            }
            let error = #expect(throws: PlaybackError.self) { try rig.sink.start() }
            #expect(error?.underlying?.code != Int(PulseCode.timeout))
            killer.join()
        }

        @Test("a server that answers nothing makes calls fail within two seconds, and closing returns")
        func serverHangs() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            rig.server.freeze()
            let clock = MonotonicClock()
            for call in [{ try rig.sink.stop() }, { _ = try rig.sink.flush() }] {
                let before = clock.now
                let error = #expect(throws: PlaybackError.self) { try call() }
                #expect(error?.code == .outputUnavailable)
                #expect(error?.underlying?.code == Int(PulseCode.timeout))
                #expect(clock.now - before >= PulseStream.patience)
                // Two seconds, and room for a busy machine.
                #expect(clock.now - before < 5)
            }
            rig.sink.close()
        }

        @Test("opening on a server that answers nothing, or where there is none, fails with a reason")
        func cannotOpen() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            let source = RenderSource(minimumCapacity: 64, channelCount: 2)
            server.freeze()
            let hung = #expect(throws: PlaybackError.self) {
                try PulseOutputProvider(server: server.address).makeSink().open(.compactDisc, source: source, base: 0) { _ in }
            }
            #expect(hung?.underlying?.code == Int(PulseCode.timeout))
            server.thaw()
            let nowhere = PulseOutputProvider(server: "unix:\(server.directory)/nothing").makeSink()
            let missing = #expect(throws: PlaybackError.self) { try nowhere.open(.compactDisc, source: source, base: 0) { _ in } }
            #expect(missing?.code == .outputUnavailable)
            #expect(missing?.underlying?.code == Int(PulseCode.refused))
            let noSink = PulseOutputProvider(server: server.address, sinkName: "nothing").makeSink()
            let events = EventLog()
            let unknown = #expect(throws: PlaybackError.self) { try noSink.open(.compactDisc, source: source, base: 0) { events.append($0) } }
            #expect(events.all.isEmpty)
            #expect(unknown?.underlying?.code == Int(PulseCode.noEntity))
        }

        @Test("a server is reachable where one answers, and the question ends in time where none does")
        func reachability() throws {
            let server = try PrivatePulseServer(.none)
            defer { server.stop() }
            #expect(PulseServer.isReachable(server: server.address, timeout: 10))
            #expect(!PulseServer.isReachable(server: "unix:\(server.directory)/nothing", timeout: 10))
            server.freeze()
            let clock = MonotonicClock()
            let before = clock.now
            #expect(!PulseServer.isReachable(server: server.address, timeout: 0.1))
            #expect(clock.now - before < 2)
            #expect(!PulseServer.isReachable(server: server.address, timeout: -1))
        }

        @Test("after close nothing is told and nothing is rendered, and closing again does nothing")
        func close() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            try rig.play(frames: 5_000)
            rig.sink.close()
            let told = rig.events.all.count
            let rendered = rig.source.renderedFrames
            #expect(!rig.sink.playhead.isRunning)
            rig.sink.sourceDidFill()
            rig.sink.close()
            #expect(throws: PlaybackError.self) { try rig.sink.start() }
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 60_000))
            #expect(rig.events.all.count == told)
            #expect(rig.source.renderedFrames == rendered)
        }

        @Test("while stopped its thread does not wake")
        func sleepsWhileStopped() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            try rig.play(frames: 60_000)
            try rig.sink.stop()
            // What the server still sends about the stop itself comes first.
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 20_000))
            let before = try #require(wakeUps(ofThreadsNamed: "pulse"))
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 80_000))
            #expect(wakeUps(ofThreadsNamed: "pulse") == before)
        }

        @Test("a stream that is moved tells its new device, and nothing is lost")
        func moved() throws {
            let rig = try RampRig(modules: ["module-null-sink sink_name=other sink_properties=device.description=Elsewhere"])
            #expect(rig.sink.description.kind == "pulse")
            #expect(rig.sink.description.id == PrivatePulseServer.sinkName)
            #expect(rig.sink.isAudible)
            rig.pump()
            try rig.sink.start()
            try rig.play(frames: 10_000)
            try rig.server.control("move-sink-input", "0", "other")
            let output = try #require(rig.events.first { if case .changed(let output) = $0 { output } else { nil } })
            #expect(output == OutputDescription(kind: "pulse", id: "other", name: "Elsewhere"))
            #expect(rig.sink.description == output)
            try rig.server.control("move-sink-input", "0", PrivatePulseServer.sinkName)
            #expect(PrivatePulseServer.wait(seconds: 10) { rig.sink.description.id == PrivatePulseServer.sinkName })
            rig.end = try rig.flush() + 20_000
            try rig.sink.start()
            try rig.finish()
            let frames = rig.recording.played()
            // The part between went to the other device; before and behind it nothing is missing.
            let gap = try #require(frames.indices.dropLast().first { frames[$0 + 1].number != frames[$0].number + 1 })
            #expect(firstBreak(Array(frames[...gap])) == nil)
            #expect(firstBreak(Array(frames[(gap + 1)...]), from: frames[gap + 1].number) == nil)
        }

        @Test("a device that sleeps holds the playhead, and goes on where it was")
        func suspended() throws {
            let rig = try RampRig()
            rig.pump()
            try rig.sink.start()
            try rig.play(frames: 10_000)
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "1")
            #expect(PrivatePulseServer.wait(seconds: 10) { !rig.sink.playhead.isRunning })
            let held = rig.sink.playhead.frame
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "0")
            rig.end = rig.next
            try rig.finish()
            #expect(rig.sink.playhead.frame >= held)
            #expect(firstBreak(rig.recording.played()) == nil)
        }

        @Test("the sink that a server without devices makes up is heard by nobody")
        func madeUpSink() throws {
            let server = try PrivatePulseServer(.none)
            defer { server.stop() }
            let sink = PulseOutputProvider(server: server.address).makeSink()
            try sink.open(.compactDisc, source: RenderSource(minimumCapacity: 64, channelCount: 2), base: 0) { _ in }
            #expect(sink.description.id == "auto_null")
            #expect(!sink.isAudible)
            sink.close()
        }

        @Test("any rate and layout of the engine's is played, and what the server cannot have is refused")
        func formats() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            let possible = [
                AudioFormat(sampleRate: 8_000, channelLayout: .mono), AudioFormat(sampleRate: 384_000, channelLayout: ChannelLayout(count: 8)),
                AudioFormat(sampleRate: 48_000, channelLayout: ChannelLayout(count: 17)), AudioFormat(sampleRate: 1, channelLayout: .stereo),
            ]
            for format in possible {
                let sink = PulseOutputProvider(server: server.address).makeSink()
                let source = RenderSource(minimumCapacity: 4_096, channelCount: format.channelCount)
                _ = source.write([Float](repeating: 0, count: 4_000 * format.channelCount), frameCount: 4_000)
                try sink.open(format, source: source, base: 0) { _ in }
                sink.sourceDidFill()
                try sink.start()
                #expect(source.renderedFrames > 0)
                sink.close()
            }
            for format in [AudioFormat(sampleRate: 500_000, channelLayout: .stereo), AudioFormat(sampleRate: .max, channelLayout: .mono)] {
                let sink = PulseOutputProvider(server: server.address).makeSink()
                let source = RenderSource(minimumCapacity: 64, channelCount: format.channelCount)
                let error = #expect(throws: PlaybackError.self) { try sink.open(format, source: source, base: 0) { _ in } }
                #expect(error?.code == .outputUnavailable)
            }
        }
    }
}

/// The codes of libpulse's `pa_error_code_t` that the tests expect; their values are part of its protocol.
enum PulseCode {
    static let noEntity: Int32 = 5
    static let refused: Int32 = 6
    static let timeout: Int32 = 8
}

/// How often the threads of that name have gone to sleep by themselves, in all; nil where there is none.
private func wakeUps(ofThreadsNamed name: String) -> Int? {
    guard let directory = opendir("/proc/self/task") else { return nil }
    defer { closedir(directory) }
    var total: Int?
    while let entry = readdir(directory) {
        let task = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard let status = text(ofFile: "/proc/self/task/\(task)/status") else { continue }
        let fields = status.split(separator: "\n").map { $0.split(separator: ":\t", maxSplits: 1).map(String.init) }
        guard fields.contains(["Name", name]), let count = fields.first(where: { $0.first == "voluntary_ctxt_switches" })?.last else { continue }
        total = (total ?? 0) + (Int(count) ?? 0)
    }
    return total
}

private func text(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
}

/// A sink fed with one value, 0.5, for ever.
private final class SteadyRig {
    let server: PrivatePulseServer
    let sink: any AudioSink
    private let source = RenderSource(minimumCapacity: 100_000, channelCount: 2)
    private let block = [Float](repeating: 0.5, count: 200_000)

    init(volume: Float = 1, isMuted: Bool = false, settings: [String] = ["flat-volumes = no"], deviceVolume: String = "100%") throws {
        server = try PrivatePulseServer(settings: settings)
        try server.control("set-sink-volume", PrivatePulseServer.sinkName, deviceVolume)
        sink = PulseOutputProvider(server: server.address).makeSink()
        sink.setVolume(volume, isMuted: isMuted)
        try sink.open(.compactDisc, source: source, base: 0) { _ in }
        pump()
        try sink.start()
    }

    deinit {
        sink.close()
        server.stop()
    }

    var recording: PulseRecording { server.recording! }

    private func pump() {
        _ = source.write(block, frameCount: min(source.freeFrames, 100_000))
        sink.sourceDidFill()
    }

    func play(frames: Int) throws {
        let goal = recording.frameCount + frames
        while recording.frameCount < goal {
            pump()
            try #require(recording.wait(forFrameCount: min(goal, recording.frameCount + 20_000)))
        }
    }

    /// Plays until a sample near `value` is recorded.
    func settle(at value: Int16) throws { _ = try framesUntil(value) }

    /// Plays until a sample near `value` is recorded, and returns how many frames came before it.
    func framesUntil(_ value: Int16) throws -> Int {
        let start = recording.frameCount
        var found: Int?
        var searched = 0
        try #require(
            recording.wait { recording in
                self.pump()
                let samples = recording.samples(from: start + searched)
                found = samples.firstIndex { abs(Int($0) - Int(value)) <= 4 }.map { $0 / 2 + searched }
                searched += samples.count / 2
                return found != nil
            })
        return found ?? 0
    }
}
