public import CoreMedia
import Platform

/// Renders media faster than real time, with the samples that a device would get, but without fades at cuts; a crossfade waits for its audio.
public struct OfflineRenderer: Sendable {
    /// The media of a rendering, and its settings.
    public struct Job: Sendable {
        /// The media, which are joined without a gap.
        public var sources: [MediaSource]
        /// The start, as a position in the first medium.
        public var startTime = CMTime.zero
        /// The duration of the output; all audio if not numeric.
        public var duration = CMTime.invalid
        /// The loop of the first medium.
        public var loop: LoopRange?
        /// The number of passes through the loop after which the rendering ends; nil if the loop does not end it.
        public var turns: Int?
        /// The rate, negative for backwards; 0 is invalid.
        public var rate = 1.0
        public var algorithm = PitchAlgorithm.timeDomain
        /// The duration of crossfades, in seconds, 0…12.
        public var crossfade = 0.0
        public var loudness = LoudnessMode.off
        public var headroom = Headroom.off
        /// The sample rate of the output; nil for that of the first medium.
        public var sampleRate: Int?
        public init(sources: [MediaSource]) { self.sources = sources }
    }
    /// The result of a rendering.
    public struct Summary: Sendable, Hashable {
        public var frames: Int64
        public var format: AudioFormat
        /// The number of corrupt packets, whose audio is replaced by silence.
        public var skippedPackets: Int
    }
    /// The failure of a rendering.
    public struct Failure: Error, Sendable, Hashable {
        /// The index in `Job.sources`; nil if no medium is the cause.
        public var source: Int?
        public var error: PlaybackError
    }

    private let opener: any MediaOpener
    private let makePitch: @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch

    public init(opener: any MediaOpener, makePitch: @escaping @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch) {
        self.opener = opener
        self.makePitch = makePitch
    }

    /// Blocks until the rendering is complete. `body` receives consecutive interleaved samples, with the channels of the first medium, and ends the
    /// rendering by returning false. Throws the error of the first medium that cannot be opened or read to its end.
    public func render(_ job: Job, _ body: @escaping (UnsafeBufferPointer<Float>, AudioFormat) -> Bool) throws(Failure) -> Summary {
        let clock = MonotonicClock()
        let outcome = Outcome()
        let sink = OfflineSink(clock: clock, sampleRate: job.sampleRate) { samples, format in
            outcome.take(samples, format, upTo: job.frameLimit(format), body)
        }
        let assembly = EngineAssembly(
            opener: opener, output: sink, hostClock: clock, fadesCuts: false, makePitch: makePitch, wakeEngine: {}, wakeFeeder: {},
            runOpen: { $0.run() },
            events: { outcome.note($0) })
        defer { assembly.close() }
        let requests = job.sources.enumerated().map { LoadRequest(item: ItemID(rawValue: UInt64($0 + 1)), source: $1) }
        guard var first = requests.first else { throw Failure(source: nil, error: PlaybackError(.unknown, "There is no input to render.")) }
        first.startTime = job.startTime
        first.loop = job.loop
        var settings = EngineSettings()
        (settings.rate, settings.pitchAlgorithm) = (job.rate, job.algorithm)
        (settings.crossfade, settings.loudness, settings.headroom) = (job.crossfade, job.loudness, job.headroom)
        assembly.post(.configure(settings))
        assembly.post(.load(first))
        assembly.post(.setUpcoming(Array(requests.dropFirst()), after: first.item))
        assembly.post(.setRunning(true))
        while !outcome.isOver {
            let stepped = assembly.stepEngine()
            let fed = assembly.stepFeeder()
            var pulled = false
            while !outcome.isOver, sink.pull() { pulled = true }
            if !stepped, !fed, !pulled { break }
        }
        if let failure = outcome.failure { throw failure }
        return Summary(frames: outcome.frames, format: sink.format, skippedPackets: outcome.skippedPackets)
    }

    /// The state of a rendering; only the rendering thread uses it.
    private final class Outcome {
        var frames: Int64 = 0
        var failure: Failure?
        var isOver = false
        var skippedPackets = 0
        private var skips: [ItemID: Int] = [:]

        func note(_ event: EngineEvent) {
            switch event {
            case .failed(let item, let error):
                failure = failure ?? Failure(source: Int(item.rawValue) - 1, error: error)
                isOver = true
            case .outputFailed(let error):
                failure = failure ?? Failure(source: nil, error: error)
                isOver = true
            case .packetsSkipped(let item, let count):
                skips[item] = count
                skippedPackets = skips.values.reduce(0, +)
            default: break
            }
        }

        func take(
            _ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat, upTo limit: Int64,
            _ body: (UnsafeBufferPointer<Float>, AudioFormat) -> Bool
        ) {
            guard !isOver else { return }
            var count = samples.count / format.channelCount
            if Int64(count) >= limit - frames {
                count = Int(max(0, limit - frames))
                isOver = true
            }
            frames += Int64(count)
            if !body(UnsafeBufferPointer(rebasing: samples[..<(count * format.channelCount)]), format) { isOver = true }
        }
    }
}

extension OfflineRenderer.Job {
    /// The number of frames to render, from the duration and the turns of the loop.
    fileprivate func frameLimit(_ format: AudioFormat) -> Int64 {
        let limit = FrameCount.frames(of: duration, sampleRate: format.sampleRate) ?? .max
        guard let turns, let frames = LoopFrames(loop, sampleRate: format.sampleRate) else { return limit }
        let start = FrameCount.frames(of: startTime, sampleRate: format.sampleRate) ?? 0
        let media = Double(frames.end - start) + Double(turns - 1) * Double(frames.end - frames.start)
        return min(limit, Int64(saturating: (media / abs(rate)).rounded()))
    }
}
