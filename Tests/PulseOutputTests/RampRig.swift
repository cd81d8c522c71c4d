import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import PulseOutput

/// All tests that need a server, serialized: each has its own, and they measure time.
@Suite("PulseAudio", .serialized)
enum WithServer {}

/// A sink on a private server, fed with a ramp: output frame n has the number n + 1 (24 bits) and the generation of its write (8 bits), spread over
/// two 16-bit channels. Silence is 0. So the recording shows which frames were played, in which order, and from which write.
final class RampRig {
    let server: PrivatePulseServer
    let sink: any AudioSink
    let source: RenderRing
    let events = EventLog()
    /// The next frame to be written.
    private(set) var next: Int64
    var generation: UInt32 = 0
    /// The ramp ends before this frame.
    var end = Int64.max

    init(_ device: PrivatePulseServer.Device = .pipe(rate: 44_100, channels: 2), base: Int64 = 0, modules: [String] = []) throws {
        server = try PrivatePulseServer(device, modules: modules)
        sink = PulseOutputProvider(server: server.address, sinkName: PrivatePulseServer.sinkName).makeSink()
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

    /// Fills the ring and notifies the sink, like the engine after frames were consumed.
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

    /// Pumps until `frames` more frames of any content are recorded.
    func play(frames: Int) throws {
        let goal = recording.frameCount + frames
        while recording.frameCount < goal {
            pump()
            try #require(recording.wait(forFrameCount: min(goal, recording.frameCount + 20_000)))
        }
    }

    /// Starts, and plays until `frames` frames are recorded.
    func start(playing frames: Int) throws {
        pump()
        try sink.start()
        try play(frames: frames)
    }

    /// Flushes, and continues to write at the returned frame, in a new generation.
    func flush() throws -> Int64 {
        let frame = try sink.flush()
        generation = (generation + 1) & 0xFF
        next = frame
        return frame
    }

    /// Replaces the frames that the device has not taken by a new generation, while it plays. Returns the first replaced frame, or nil if the device
    /// returns none.
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

    /// Replaces everything after `frame`, which the sink has just held, by `frames` frames of a new generation. Returns `frame`, or the frame at
    /// which the replacement has to begin instead.
    func writeEnd(at frame: Int64, frames: Int) throws -> Int64 {
        generation = (generation + 1) & 0xFF
        next = frame
        write(atMost: frames)
        return try sink.replace(from: frame)
    }

    /// Plays until the measured latency is so short that frames can be replaced. Returns whether they can.
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
        let last = UInt32(truncatingIfNeeded: end) & 0xFF_FFFF
        var searched = recording.frameCount
        try #require(
            recording.wait { recording in
                self.pump()
                // Searches each range once, together with the frames that arrived meanwhile.
                let start = max(0, searched - 4_000)
                searched = recording.frameCount
                return recording.played(from: start).contains { $0.number == last }
            })
    }
}

/// One frame of the ramp as it was recorded.
struct RampFrame: Equatable {
    /// The output frame plus 1.
    var number: UInt32
    var generation: UInt32
}

extension PulseRecording {
    /// The number of silent frames within the played ones.
    func holes() -> Int {
        let samples = samples()
        let isSound = stride(from: 0, to: samples.count - 1, by: 2).map { samples[$0] != 0 || samples[$0 + 1] != 0 }
        guard let first = isSound.firstIndex(of: true), let last = isSound.lastIndex(of: true) else { return 0 }
        return isSound[first...last].count { !$0 }
    }

    /// The recorded frames that are not silent.
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

/// A description of the first frame that does not follow its predecessor, or nil. Readable for long recordings.
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

    /// Waits for an event that `condition` accepts; nil after the time-out.
    func first<Value: Sendable>(seconds: Double = 10, where condition: (AudioSinkEvent) -> Value?) -> Value? {
        let deadline = MonotonicClock().now + seconds
        while true {
            // Under the lock: ThreadSanitizer does not see the reference counting of an array that two threads share.
            if let value = state.withLock({ $0.events.compactMap(condition).first }) { return value }
            guard signal.wait(until: deadline) else { return nil }
        }
    }
}
