import Foundation
import Platform
import PlaybackEngine
import Synchronization
import Testing

@testable import ALSAOutput

/// ALSA's own devices need no kernel module: `null` takes all frames at once, and `file` writes them to a file.
@Suite("ALSA") struct ALSASinkTests {
    private final class Events: Sendable {
        private let all = Mutex<[String]>([])
        private let signal = WakeSignal()

        func append(_ event: AudioSinkEvent) {
            let name =
                switch event {
                case .underflow: "underflow"
                case .lost: "lost"
                default: "other"
                }
            all.withLock { $0.append(name) }
            signal.raise()
        }

        /// Waits for a number of underflows; false after a minute.
        func wait(underflows count: Int) -> Bool {
            let deadline = MonotonicClock().now + 60
            while all.withLock({ $0.count { $0 == "underflow" } }) < count {
                guard signal.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    private let events = Events()
    private let file = FileManager.default.temporaryDirectory.appending(path: "alsa-\(UUID().uuidString)")

    /// A ramp of samples of 24 bits, two channels.
    private func ramp(_ frames: Int) -> [Float] { (0..<(2 * frames)).map { Float($0 * 401 % 16_000_000 - 8_000_000) / 8_388_608 } }

    private func open(_ sink: ALSASink, _ source: RenderRing) throws {
        try sink.open(.compactDisc, source: source, base: 0) { [events] in events.append($0) }
    }

    private func written() throws -> [Float] {
        let data = try Data(contentsOf: file)
        return data.withUnsafeBytes { bytes in bytes.bindMemory(to: Int32.self).map { Float($0) / 2_147_483_648 } }
    }

    @Test("samples of 24 bits reach the device unchanged, and the playhead comes to rest after the last frame")
    func exactSamples() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let sink = ALSASink(device: "file:\(file.path),raw", name: "File", clock: MonotonicClock())
        let source = RenderRing(minimumCapacity: 8_192, channelCount: 2)
        try open(sink, source)
        #expect(sink.sampleRate == nil && sink.isAudible)
        let samples = ramp(5_000)
        #expect(source.write(samples, frameCount: 5_000) == 5_000)
        try sink.start()
        // The second one comes when the last frame was played.
        #expect(events.wait(underflows: 2))
        #expect(sink.playhead.frame == 5_000 && !sink.playhead.isRunning)
        sink.close()
        #expect(try written().starts(with: samples))
    }

    @Test("after a stop, the device continues with the frames that it had not played")
    func stops() throws {
        let sink = ALSASink(device: "null", name: "Null", clock: MonotonicClock())
        let source = RenderRing(minimumCapacity: 1 << 17, channelCount: 2)
        try open(sink, source)
        #expect(source.write(ramp(100_000), frameCount: 100_000) == 100_000)
        try sink.start()
        let clock = MonotonicClock(), deadline = clock.now + 60
        while sink.playhead.frame < 2_000, clock.now < deadline { sched_yield() }
        try sink.stop()
        let rest = sink.playhead
        #expect(!rest.isRunning && rest.frame >= 2_000 && rest.frame < 100_000)
        #expect(try sink.flush() == rest.frame)
        #expect(source.renderedFrames == rest.frame)
        sink.close()
    }

    @Test("every device can be opened with ALSA's conversion, also one whose name has arguments")
    func conversion() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(ALSASink.converting("hw:CARD=PCH,DEV=0") == "plughw:CARD=PCH,DEV=0")
        for device in ["null", "file:\(file.path),raw"] {
            let pcm = try PCM(ALSASink.converting(device), .compactDisc, converts: true)
            #expect(pcm.sampleRate == 44_100 && pcm.channelCount == 2)
        }
    }

    @Test("surround is mixed down before it reaches ALSA, which drops channels without a speaker")
    func surround() {
        #expect(ALSASink(device: "null", name: "Null", clock: MonotonicClock()).speakers == .stereo)
    }

    @Test("a device that does not exist cannot be opened, with ALSA's error about the device, and not about its conversion")
    func missing() {
        let sink = ALSASink(device: "hw:CARD=none", name: "None", clock: MonotonicClock())
        let error = #expect(throws: PlaybackError.self) { try open(sink, RenderRing(minimumCapacity: 64, channelCount: 2)) }
        #expect(error?.code == .outputUnavailable && error?.underlying?.domain == "ALSA")
        #expect(error?.message == "The device hw:CARD=none cannot be opened.")
    }

    @Test("muted samples are silence")
    func mute() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let sink = ALSASink(device: "file:\(file.path),raw", name: "File", clock: MonotonicClock())
        let source = RenderRing(minimumCapacity: 1_024, channelCount: 2)
        sink.setVolume(1, isMuted: true)
        try open(sink, source)
        #expect(source.write(ramp(500), frameCount: 500) == 500)
        try sink.start()
        #expect(events.wait(underflows: 1))
        sink.close()
        let samples = try written()
        #expect(samples.count >= 1_000 && samples.allSatisfy { $0 == 0 })
    }
}
