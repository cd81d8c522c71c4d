import Glibc
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import PulseOutput

extension WithServer {
    @Suite("Commands and events")
    struct BehaviourTests {
        @Test("if the server dies, lost is reported once, every later call throws the error of the loss, and close returns")
        func serverDies() throws {
            let rig = try RampRig()
            try rig.start(playing: 10_000)
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

        @Test("if the server dies during a call, the call ends at once")
        func serverDiesUnderACall() throws {
            let rig = try RampRig()
            rig.server.freeze()
            let isCalling = WakeSignal()
            let killer = WorkerThread(name: "killer") { [server = rig.server] in
                isCalling.wait()
                server.crash()
            }
            isCalling.raise()
            let error = #expect(throws: PlaybackError.self) { try rig.sink.start() }
            #expect(error?.code == .outputUnavailable)
            #expect(error?.underlying?.code != Int(PulseCode.timeout))
            killer.join()
        }

        @Test("if the server does not answer, calls fail after two seconds, and close returns")
        func serverHangs() throws {
            let rig = try RampRig(patience: PulseConnection.patience)
            rig.pump()
            try rig.sink.start()
            rig.server.freeze()
            let clock = MonotonicClock()
            for call in [{ try rig.sink.stop() }, { _ = try rig.sink.flush() }] {
                let before = clock.now
                let error = #expect(throws: PlaybackError.self) { try call() }
                #expect(error?.code == .outputUnavailable)
                #expect(error?.underlying?.code == Int(PulseCode.timeout))
                #expect(clock.now - before >= PulseConnection.patience)
                // The call ends after 2 s, on a busy machine later.
                #expect(clock.now - before < 60)
            }
            rig.sink.close()
        }

        @Test("open fails with a reason if the server does not answer or does not exist")
        func cannotOpen() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            let source = RenderRing(minimumCapacity: 64, channelCount: 2)
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

        @Test("after close no event is sent and no frame rendered, and another close does nothing")
        func close() throws {
            let rig = try RampRig()
            try rig.start(playing: 5_000)
            rig.sink.close()
            let eventCount = rig.events.all.count
            let rendered = rig.source.renderedFrames
            #expect(!rig.sink.playhead.isRunning)
            rig.sink.sourceDidFill()
            rig.sink.close()
            #expect(throws: PlaybackError.self) { try rig.sink.start() }
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 60_000))
            #expect(rig.events.all.count == eventCount)
            #expect(rig.source.renderedFrames == rendered)
        }

        @Test("while stopped the sink's thread does not wake")
        func sleepsWhileStopped() throws {
            let others = threads(named: "pulse")
            let rig = try RampRig()
            let thread = try #require(threads(named: "pulse").subtracting(others).first)
            try rig.start(playing: 60_000)
            let playing = try #require(sleeps(ofThread: thread))
            try rig.sink.stop()
            // The sink's thread also wakes for the server's messages about the stop. So the test counts wake-ups only after 20,000 recorded frames
            // (0.45 s) without one.
            var before = try #require(sleeps(ofThread: thread)), isResting = false
            for _ in 0..<20 where !isResting {
                #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 20_000))
                let now = try #require(sleeps(ofThread: thread))
                (isResting, before) = (now == before, now)
            }
            #expect(before > playing)
            #expect(rig.recording.wait(forFrameCount: rig.recording.frameCount + 80_000))
            #expect(sleeps(ofThread: thread) == before)
        }

        @Test("a moved stream reports its new device, and no frame is lost")
        func moved() throws {
            let rig = try RampRig(modules: ["module-null-sink sink_name=other sink_properties=device.description=Elsewhere"])
            #expect(rig.sink.description.kind == "pulse")
            #expect(rig.sink.description.id == PrivatePulseServer.sinkName)
            #expect(rig.sink.isAudible)
            try rig.start(playing: 10_000)
            try rig.server.control("move-sink-input", "0", "other")
            let output = try #require(rig.events.first { if case .changed(let output, _) = $0 { output } else { nil } })
            #expect(output.kind == "pulse" && output.id == "other" && output.name == "Elsewhere")
            #expect(output.connector?.driver == "module-null-sink.c")
            #expect(rig.sink.description == output)
            try rig.server.control("move-sink-input", "0", PrivatePulseServer.sinkName)
            #expect(PrivatePulseServer.wait(seconds: 10) { rig.sink.description.id == PrivatePulseServer.sinkName })
            // After the flush, all written frames are played on the current device, even if the test is slow.
            let back = try rig.flush()
            rig.end = back + 20_000
            try rig.sink.start()
            try rig.finish()
            // The frames between the two moves were played on the other device, or on this one if the stream returned early. No frame before the
            // first move or after the flush is missing.
            let frames = rig.recording.played()
            let before = frames.prefix { $0.number <= 10_000 }
            #expect(before.count == 10_000)
            #expect(firstBreak(Array(before)) == nil)
            let afterFlush = frames.filter { $0.generation == 1 }
            #expect(afterFlush.count == 20_000)
            #expect(firstBreak(afterFlush, from: UInt32(back) + 1) == nil)
        }

        @Test("a suspended device stops the playhead, which then continues from its position")
        func suspended() throws {
            let rig = try RampRig()
            try rig.start(playing: 10_000)
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "1")
            #expect(PrivatePulseServer.wait(seconds: 10) { !rig.sink.playhead.isRunning })
            let held = rig.sink.playhead.frame
            try rig.server.control("suspend-sink", PrivatePulseServer.sinkName, "0")
            rig.end = rig.next
            try rig.finish()
            #expect(rig.sink.playhead.frame >= held)
            #expect(firstBreak(rig.recording.played()) == nil)
        }

        @Test("the auto_null sink of a server without devices is not audible")
        func madeUpSink() throws {
            let server = try PrivatePulseServer(.none)
            defer { server.stop() }
            let sink = PulseOutputProvider.patient(server.address).makeSink()
            try sink.open(.compactDisc, source: RenderRing(minimumCapacity: 64, channelCount: 2), base: 0) { _ in }
            #expect(sink.description.id == "auto_null")
            #expect(!sink.isAudible)
            sink.close()
        }

        @Test("releasing an open sink closes its stream")
        func released() throws {
            let server = try PrivatePulseServer()
            defer { server.stop() }
            let source = RenderRing(minimumCapacity: 64, channelCount: 2)
            do {
                let sink = PulseOutputProvider.patient(server.address).makeSink()
                try sink.open(AudioFormat(sampleRate: 48_000, channelLayout: .stereo), source: source, base: 0) { _ in }
                #expect(try server.lists("Sink Input", among: "sink-inputs"))
            }
            // The closed socket notifies the server of the end of the stream, so the server may still list the stream for a short time.
            #expect(PrivatePulseServer.wait(seconds: 10) { (try? !server.lists("Sink Input", among: "sink-inputs")) ?? false })
        }

        @Test("every rate and layout of the engine is played, and unsupported ones are refused")
        func formats() throws {
            let server = try PrivatePulseServer(.null(rate: 44_100, channels: 2))
            defer { server.stop() }
            let possible = [
                AudioFormat(sampleRate: 8_000, channelLayout: .mono), AudioFormat(sampleRate: 384_000, channelLayout: ChannelLayout(count: 8)),
                AudioFormat(sampleRate: 48_000, channelLayout: ChannelLayout(count: 17)), AudioFormat(sampleRate: 1, channelLayout: .stereo),
            ]
            for format in possible {
                let sink = PulseOutputProvider.patient(server.address).makeSink()
                let source = RenderRing(minimumCapacity: 4_096, channelCount: format.channelCount)
                _ = source.write([Float](repeating: 0, count: 4_000 * format.channelCount), frameCount: 4_000)
                try sink.open(format, source: source, base: 0) { _ in }
                sink.sourceDidFill()
                try sink.start()
                #expect(source.renderedFrames > 0)
                sink.close()
            }
            // PulseAudio 16 supports sample rates of at most 384 kHz, and PulseAudio 17 of at most 768 kHz.
            for format in [AudioFormat(sampleRate: 1_000_000, channelLayout: .stereo), AudioFormat(sampleRate: .max, channelLayout: .mono)] {
                let sink = PulseOutputProvider.patient(server.address).makeSink()
                let source = RenderRing(minimumCapacity: 64, channelCount: format.channelCount)
                let error = #expect(throws: PlaybackError.self) { try sink.open(format, source: source, base: 0) { _ in } }
                #expect(error?.code == .outputUnavailable)
            }
        }
    }
}

/// The error codes of libpulse (`pa_error_code_t`) that the tests expect. Their values are part of PulseAudio's protocol.
enum PulseCode {
    static let noEntity: Int32 = 5
    static let refused: Int32 = 6
    static let timeout: Int32 = 8
}

/// Returns the ids of this process's threads with the name `name`.
private func threads(named name: String) -> Set<String> {
    guard let directory = opendir("/proc/self/task") else { return [] }
    defer { closedir(directory) }
    var threads: Set<String> = []
    while let entry = readdir(directory) {
        let thread = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if text(ofFile: "/proc/self/task/\(thread)/comm") == name + "\n" { threads.insert(thread) }
    }
    return threads
}

/// Returns the number of voluntary context switches of a thread: one for each time that the thread was woken and sleeps again. Nil if the thread does
/// not exist.
private func sleeps(ofThread thread: String) -> Int? {
    let lines = text(ofFile: "/proc/self/task/\(thread)/status")?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }?.split(separator: "\t").last.flatMap { Int($0) }
}

private func text(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
}
