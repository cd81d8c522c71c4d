public import CoreMedia

/// Renders media faster than real time, exactly as the player would send it to a device: the same reader, the same joins, the same rates; without the
/// fade-in that the player puts on a seek.
public struct OfflineRenderer: Sendable {
    /// What to render.
    public struct Job: Sendable {
        /// Joined in this order, without a gap.
        public var sources: [MediaSource]
        /// Where the first begins.
        public var startTime = CMTime.zero
        /// The most to render, in time of the output; all of it where not numeric.
        public var duration = CMTime.invalid
        /// The speed; negative is backwards. Not 0.
        public var rate = 1.0
        public var algorithm = PitchAlgorithm.timeDomain
        /// Seconds, 0…12, for which sources overlap.
        public var crossfade = 0.0
        public var loudness = LoudnessMode.off
        public init(sources: [MediaSource]) { self.sources = sources }
    }
    /// What came out.
    public struct Summary: Sendable, Hashable {
        public var frames: Int64
        public var format: AudioFormat
        /// Corrupt packets that were replaced by silence.
        public var skippedPackets: Int
    }
    /// Why it could not be done.
    public struct Failure: Error, Sendable, Hashable {
        /// The place in `Job.sources` of the medium that could not be opened or read, nil where it is none's fault.
        public var source: Int?
        public var error: PlaybackError
    }

    private let opener: any MediaOpener
    private let makePitch: @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch

    public init(opener: any MediaOpener, makePitch: @escaping @Sendable (PitchAlgorithm, AudioFormat) -> any TimePitch) {
        self.opener = opener
        self.makePitch = makePitch
    }

    /// Renders, on the caller's thread, which blocks until it is done.
    ///
    /// - Parameter body: gets each stretch of interleaved samples, in the format of the first medium; false ends the rendering early.
    /// - Throws: the error of the first medium that cannot be opened or read to its end.
    public func render(_ job: Job, _ body: @escaping (UnsafeBufferPointer<Float>, AudioFormat) -> Bool) throws(Failure) -> Summary {
        let clock = MonotonicClock()
        let sink = OfflineSink(clock: clock)
        let outcome = Outcome()
        let assembly = EngineAssembly(
            opener: opener, outputs: [sink], hostClock: clock, fadesIn: false, makePitch: makePitch, wakeEngine: {}, wakeFeeder: {},
            runOpen: { $0.run() },
            events: { outcome.note($0) })
        defer { assembly.close() }
        sink.take = { samples, format in outcome.take(samples, format, upTo: job.duration, body) }
        let requests = job.sources.enumerated().map { LoadRequest(item: ItemID(rawValue: UInt64($0 + 1)), source: $1) }
        guard var first = requests.first else { throw Failure(source: nil, error: PlaybackError(.unknown, "There is no input to render.")) }
        first.startTime = job.startTime
        var settings = EngineSettings()
        (settings.rate, settings.pitchAlgorithm) = (job.rate, job.algorithm)
        (settings.crossfade, settings.loudness) = (job.crossfade, job.loudness)
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

    /// What has happened so far. Confined to the thread that renders.
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
            _ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat, upTo limit: CMTime,
            _ body: (UnsafeBufferPointer<Float>, AudioFormat) -> Bool
        ) {
            guard !isOver else { return }
            var count = samples.count / format.channelCount
            if let most = FrameCount.frames(of: limit, sampleRate: format.sampleRate), Int64(count) >= most - frames {
                count = Int(max(0, most - frames))
                isOver = true
            }
            frames += Int64(count)
            if !body(UnsafeBufferPointer(rebasing: samples[..<(count * format.channelCount)]), format) { isOver = true }
        }
    }
}
