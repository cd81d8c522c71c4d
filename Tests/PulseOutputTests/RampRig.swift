import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import PulseOutput

/// The tests that need a sound server and measure time. So they run one after the other. Each test has its own server.
@Suite("PulseAudio", .serialized)
enum WithServer {}

/// A sink on a private server, whose source has a ramp. Output frame n contains the number n + 1 (24 bits) and the generation of its write (8 bits),
/// divided between two 16-bit channels. A silent frame contains 0. So the recording shows which frames were played, in which order, and from which
/// write.
final class RampRig {
    let server: PrivatePulseServer
    let sink: any AudioSink
    let source: RenderRing
    let events = EventLog()
    private let base: Int64
    /// The next frame to be written.
    private(set) var next: Int64
    var generation: UInt32 = 0
    /// The frame after the last frame of the ramp.
    var end = Int64.max

    /// - Parameter patience: The maximum duration of a command of the sink, in seconds. On a busy machine the server may need longer than usual.
    init(
        _ device: PrivatePulseServer.Device = .pipe(rate: 44_100, channels: 2), base: Int64 = 0, modules: [String] = [], patience: Double = 60
    ) throws {
        server = try PrivatePulseServer(device, modules: modules)
        sink = PulseOutputProvider.patient(server.address, sinkName: PrivatePulseServer.sinkName, patience: patience).makeSink()
        self.base = base
        source = RenderRing(minimumCapacity: 100_000, channelCount: 2, base: base)
        next = base
        let events = events
        try sink.open(.compactDisc, source: source, base: base) { events.append($0) }
    }

    deinit {
        sink.close()
        server.stop()
    }

    var recording: PulseRecording { server.recording! }

    /// Fills the ring and notifies the sink, as the engine does after the device has taken frames.
    func pump() {
        write()
        sink.sourceDidFill()
    }

    private func write(atMost most: Int = .max) {
        let count = Int(min(Int64(min(source.freeFrames, most)), end - next))
        guard count > 0 else { return }
        let samples = [Float](unsafeUninitializedCapacity: 2 * count) { samples, written in
            for index in 0..<count {
                let code = UInt32(truncatingIfNeeded: next + Int64(index) + 1) & 0xFF_FFFF | generation << 24
                samples[2 * index] = Float(Int16(truncatingIfNeeded: code)) / 32_768
                samples[2 * index + 1] = Float(Int16(truncatingIfNeeded: code >> 16)) / 32_768
            }
            written = 2 * count
        }
        next += Int64(source.write(samples, frameCount: count))
    }

    /// Calls `pump` until `frames` more frames are recorded, whatever they contain.
    func play(frames: Int) throws {
        let goal = recording.frameCount + frames
        while recording.frameCount < goal {
            pump()
            try #require(recording.wait(forFrameCount: min(goal, recording.frameCount + 20_000)))
        }
    }

    /// Starts the sink, and plays until the first `frames` frames of the ramp are recorded.
    func start(playing frames: Int) throws {
        pump()
        try sink.start()
        try waitUntilRecorded(base + Int64(frames))
    }

    /// Flushes the sink. Returns the flush's frame, from which the next frames are written, in a new generation.
    func flush() throws -> Int64 {
        let frame = try sink.flush()
        generation = (generation + 1) & 0xFF
        next = frame
        return frame
    }

    /// During playback, replaces the frames that the device returns by frames of a new generation. Returns the first replaced frame; nil if the
    /// device cannot return frames.
    func replace() throws -> Int64? {
        guard var frame = try sink.hold() else { return nil }
        while true {
            let taken = try writeEnd(at: frame, frames: 22_000)
            if taken == frame { break }
            frame = taken
        }
        pump()
        return frame
    }

    /// Replaces the audio from `frame` on by at most `frames` frames of a new generation. `frame` is the result of `AudioSink.hold`, or of the
    /// preceding attempt. Returns `frame` if the replacement is complete, otherwise the later frame from which it must be repeated.
    func writeEnd(at frame: Int64, frames: Int) throws -> Int64 {
        generation = (generation + 1) & 0xFF
        next = frame
        write(atMost: frames)
        return try sink.replace(from: frame)
    }

    /// Plays and replaces frames until a replacement succeeds. Returns false if none of 50 attempts has succeeded.
    func waitUntilReplaceable() throws -> Bool {
        for _ in 0..<50 {
            try play(frames: 4_410)
            if try replace() != nil { return true }
        }
        return false
    }

    /// Waits until the whole ramp was played.
    func finish() throws {
        pump()
        try waitUntilRecorded(end)
    }

    /// Plays until the frame before `end`, an output frame, is recorded.
    private func waitUntilRecorded(_ end: Int64) throws {
        let last = UInt32(truncatingIfNeeded: end) & 0xFF_FFFF
        var searched = recording.frameCount
        try #require(
            recording.wait { recording in
                self.pump()
                // Each call searches the frames that were recorded since the preceding call. The first call also needs earlier frames (4,000 are 91
                // ms), because the last frame of the ramp may have been recorded shortly before.
                let start = max(0, searched - 4_000)
                searched = recording.frameCount
                return recording.played(from: start).contains { $0.number == last }
            })
    }
}

extension PulseOutputProvider {
    /// Returns a provider whose sinks wait for a busy server.
    static func patient(_ server: String, sinkName: String? = nil, patience: Double = 60) -> PulseOutputProvider {
        var provider = PulseOutputProvider(server: server, sinkName: sinkName)
        provider.patience = patience
        return provider
    }
}

/// One frame of the ramp as it was recorded.
struct RampFrame: Equatable {
    /// The number of the output frame plus 1, because 0 is silence.
    var number: UInt32
    var generation: UInt32
}

extension PulseRecording {
    /// Returns the number of silent frames between the first and the last frame that is not silent.
    func silentFrames() -> Int {
        let heard = Heard(samples())
        return heard.soundWithHoles.count - heard.sound.count
    }

    /// Returns the recorded frames that are not silent, from the recorded frame `frame` on.
    func played(from frame: Int = 0) -> [RampFrame] {
        let samples = samples(from: frame)
        var frames: [RampFrame] = []
        samples.withUnsafeBufferPointer { samples in
            for index in stride(from: 0, to: samples.count - 1, by: 2) {
                let code = UInt32(UInt16(bitPattern: samples[index])) | UInt32(UInt16(bitPattern: samples[index + 1])) << 16
                if code != 0 { frames.append(RampFrame(number: code & 0xFF_FFFF, generation: code >> 24)) }
            }
        }
        return frames
    }
}

/// Returns a description of the first frame that does not follow the preceding frame; nil if there is no such frame. The description is short even
/// for a long recording.
func firstBreak(_ frames: [RampFrame], from first: UInt32 = 1) -> String? {
    var expected = first
    for (index, frame) in frames.enumerated() {
        if frame.number != expected { return "frame \(index) is number \(frame.number), expected \(expected)" }
        expected = (expected + 1) & 0xFF_FFFF
    }
    return nil
}

/// The events of a sink.
final class EventLog: Sendable {
    private struct State {
        var events: [AudioSinkEvent] = []
    }
    private let state = Mutex(State())
    private let signal = WakeSignal()

    func append(_ event: AudioSinkEvent) {
        state.withLock { $0.events.append(event) }
        signal.raise()
    }

    var all: [AudioSinkEvent] { state.withLock { $0.events } }

    /// Waits for an event for which `condition` returns a value, and returns the value; nil after `seconds` seconds.
    func first<Value: Sendable>(seconds: Double = 10, where condition: (AudioSinkEvent) -> Value?) -> Value? {
        let deadline = MonotonicClock().now + seconds
        while true {
            // The events are searched under the lock, because ThreadSanitizer does not see the reference counting of an array that two threads share.
            if let value = state.withLock({ $0.events.compactMap(condition).first }) { return value }
            guard signal.wait(until: deadline) else { return nil }
        }
    }
}
