import Platform
import Synchronization

/// A sink that takes all available audio at once, and passes it to a function. What it has taken counts as heard.
///
/// `@unchecked Sendable`: only the thread that steps the engine uses it.
final class OfflineSink: AudioSink, OutputProvider, @unchecked Sendable {
    private let clock: any HostClock
    private let cell = PlayheadCell()
    private var source: RenderRing?
    private var isRunning = false
    private var scratch: [Float] = []
    /// The function that receives consecutive interleaved samples.
    private let take: (UnsafeBufferPointer<Float>, AudioFormat) -> Void
    private(set) var format = AudioFormat.compactDisc
    let sampleRate: Int?

    init(clock: any HostClock, sampleRate: Int? = nil, take: @escaping (UnsafeBufferPointer<Float>, AudioFormat) -> Void) {
        self.clock = clock
        self.sampleRate = sampleRate
        self.take = take
    }

    func makeSink() -> any AudioSink { self }

    func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        self.format = format
        self.source = source
        scratch = [Float](repeating: 0, count: 4096 * format.channelCount)
        publish(base)
    }

    /// Takes the available frames. Returns false if the ring has none, or the sink is stopped.
    func pull() -> Bool {
        guard isRunning, let source else { return false }
        let frames = scratch.count / format.channelCount
        let count = scratch.withUnsafeMutableBufferPointer { source.render(into: $0.baseAddress!, frameCount: frames) }
        publish(source.renderedFrames)
        guard count > 0 else { return false }
        scratch.withUnsafeBufferPointer { take(UnsafeBufferPointer(rebasing: $0[..<(count * format.channelCount)]), format) }
        return true
    }

    func start() {
        isRunning = true
        publish(source?.renderedFrames ?? 0)
    }
    func stop() {
        isRunning = false
        publish(source?.renderedFrames ?? 0)
    }
    func flush() -> Int64 {
        isRunning = false
        let taken = source?.renderedFrames ?? 0
        source?.reset(to: taken)
        publish(taken)
        return taken
    }
    func sourceDidFill() {}
    func close() {
        source = nil
        isRunning = false
    }
    func setVolume(_ volume: Float, isMuted: Bool) {}
    var playhead: Playhead { cell.load() }
    var description: OutputDescription { OutputDescription(kind: "offline", id: "", name: "Offline") }
    var isAudible: Bool { false }

    private func publish(_ frame: Int64) { cell.store(Playhead(frame: frame, hostTime: clock.now, isRunning: isRunning)) }
}
