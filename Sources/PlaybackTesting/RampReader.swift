import Platform
public import PlaybackEngine
import Synchronization

/// A reader of audio whose samples show their position: frame n of an item with base b has the value b + n in every channel. A test can therefore
/// determine from the value of a sample exactly which frame was played.
public final class RampReader: AudioReader {
    /// The properties of a scripted medium, and the points at which its reader fails or blocks. All positions in a script are in frames.
    public struct Script: Sendable {
        public var frames: Int64
        public var base: Float
        public var format: AudioFormat
        public var blockSize: Int
        public var isSeekable = true
        /// The position, in frames, at which reading fails; nil if reading does not fail.
        public var failsAt: Int64?
        /// The target position, in frames, for which a seek fails; nil if no seek fails. After the failed seek, the reader is at the target position.
        public var failsSeeksTo: Int64?
        /// The position, in frames, from which on one read blocks until the read is interrupted; nil if no read blocks. The function `whileBlocked`
        /// runs while the read is blocked.
        public var blocksAt: Int64?
        /// The target position, in frames, for which one seek blocks until the seek is interrupted; nil if no seek blocks. The function
        /// `whileBlocked` runs while the seek is blocked.
        public var blocksSeeksTo: Int64?
        public var whileBlocked: @Sendable () -> Void = {}
        /// The function that is called after each read, with the position of the next frame.
        public var afterRead: @Sendable (Int64) -> Void = { _ in }
        /// The positions that a seek with a tolerance can reach are the multiples of `grid`, in frames.
        public var grid: Int64 = 1
        /// Whether the reader estimates the position of each seek that allows an estimate.
        public var estimatesSeeks = false
        /// The number of examined portions after which the duration is exact; nil if the medium cannot be examined.
        public var portions: Int?
        /// Whether the examination fails at its first portion.
        public var failsExamination = false
        /// The function that is called after each examined portion, with the number of portions so far.
        public var afterExamination: @Sendable (Int) -> Void = { _ in }
        public var duration: MediaDuration
        public var metadata: [MetadataEntry] = []

        public init(frames: Int64, base: Float = 0, format: AudioFormat = .compactDisc, blockSize: Int = 1000) {
            self.frames = frames
            self.base = base
            self.format = format
            self.blockSize = blockSize
            duration = .exact(frames: frames, sampleRate: format.sampleRate)
        }
    }

    private let script: Script
    private let interrupt: Interrupt
    private var position: Int64 = 0
    private var hasBlocked = false
    private var output: AudioFormat

    public init(_ script: Script, interrupt: Interrupt = Interrupt()) {
        self.script = script
        self.interrupt = interrupt
        output = script.format
    }

    public var info: MediaInfo {
        MediaInfo(
            containerName: "ramp", codecName: "ramp", format: script.format, duration: script.duration, isSeekable: script.isSeekable,
            metadata: script.metadata)
    }
    /// The duration that the script states. After the end of the medium has been read, or all its portions have been examined, the duration is the
    /// exact number of frames.
    public var duration: MediaDuration { isLengthKnown ? .exact(frames: script.frames, sampleRate: script.format.sampleRate) : script.duration }
    private var isLengthKnown = false
    public var skippedPackets: Int { 0 }
    public private(set) var isPositionEstimated = false
    private var examined = 0

    public func examine() throws(PlaybackError) -> Bool {
        guard let portions = script.portions, !isLengthKnown else { return false }
        if script.failsExamination { throw PlaybackError(.corruptMedia, "The ramp cannot be examined.") }
        if interrupt.isRaised { throw PlaybackError(.cancelled, "The operation was cancelled.") }
        examined += 1
        script.afterExamination(examined)
        isLengthKnown = examined >= portions
        return !isLengthKnown
    }

    public func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        isPositionEstimated = allowsEstimate && script.estimatesSeeks
        return try seek(to: target, before: before, after: after)
    }

    public func setOutputFormat(_ format: AudioFormat) { output = format }

    /// Simulates a blocked call in a test without threads. The function `whileBlocked` does the work of the other threads. If `whileBlocked` does not
    /// interrupt the reader, an error reports that the reader would block for ever.
    private func block() throws(PlaybackError) -> Never {
        hasBlocked = true
        script.whileBlocked()
        if interrupt.isRaised { throw PlaybackError(.cancelled, "The operation was cancelled.") }
        throw PlaybackError(.network, "The ramp would wait forever.")
    }

    public func read() throws(PlaybackError) -> AudioBlock? {
        if interrupt.isRaised { throw PlaybackError(.cancelled, "The operation was cancelled.") }
        if let blocksAt = script.blocksAt, position >= blocksAt, !hasBlocked { try block() }
        if let failsAt = script.failsAt, position >= failsAt { throw PlaybackError(.corruptMedia, "The ramp is broken here.") }
        guard position < script.frames else {
            isLengthKnown = true
            return nil
        }
        let count = Int(min(Int64(script.blockSize), min(script.frames, script.failsAt ?? .max) - position))
        let channels = output.channelCount
        let block = AudioBlock(position: position, frameCount: count, channelCount: channels) { buffer in
            for index in buffer.indices { buffer[index] = script.base + Float(position + Int64(index / channels)) }
        }
        position += Int64(count)
        script.afterRead(position)
        return block
    }

    public func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        guard script.isSeekable else { throw PlaybackError(.notSeekable, "The ramp does not support seeking.") }
        var landed = max(0, target)
        let onGrid = landed / script.grid * script.grid
        if landed - onGrid <= before { landed = onGrid }
        position = min(landed, script.frames)
        if interrupt.isRaised { throw PlaybackError(.cancelled, "The operation was cancelled.") }
        if target == script.blocksSeeksTo, !hasBlocked { try block() }
        if target == script.failsSeeksTo { throw PlaybackError(.network, "The seek in the ramp fails at this position.") }
        return landed
    }
}

/// An opener of scripted media. Opening a location without a script fails with the error that the file is not found.
public final class ScriptedOpener: MediaOpener {
    private let scripts: Mutex<[String: Result<RampReader.Script, PlaybackError>]>
    private let opened = Mutex<[String]>([])

    public init(_ scripts: [String: RampReader.Script] = [:]) { self.scripts = Mutex(scripts.mapValues { .success($0) }) }

    public func set(_ path: String, _ script: RampReader.Script) { scripts.withLock { $0[path] = .success(script) } }
    public func set(_ path: String, error: PlaybackError) { scripts.withLock { $0[path] = .failure(error) } }
    /// The paths of all media that were opened, in order.
    public var openedPaths: [String] { opened.withLock { $0 } }

    public func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        let path = source.name
        opened.withLock { $0.append(path) }
        switch scripts.withLock({ $0[path] }) {
        case .success(let script): return RampReader(script, interrupt: interrupt)
        case .failure(let error): throw error
        case nil: throw PlaybackError(.fileNotFound, "There is no such file.")
        }
    }
}

/// The simplest stretcher: output frame n is input frame ⌊n · rate⌋. Only the positions of samples are correct, because the tests that use
/// `NearestPitch` check nothing else.
public final class NearestPitch: TimePitch {
    private let channelCount: Int
    private var rate = 1.0
    private var consumed: Int64 = 0
    private var produced: Int64 = 0
    public let lookahead = 1

    public init(channelCount: Int) { self.channelCount = channelCount }

    public func reset(rate: Double) {
        self.rate = rate
        (consumed, produced) = (0, 0)
    }

    public func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        var made = 0
        while made < capacity {
            let wanted = Int64((Double(produced) * rate).rounded(.down))
            let index = Int(wanted - consumed)
            guard index < frameCount else { break }
            for channel in 0..<channelCount { output[made * channelCount + channel] = input[index * channelCount + channel] }
            made += 1
            produced += 1
        }
        let next = Int64((Double(produced) * rate).rounded(.down))
        let used = Int(max(0, min(Int64(frameCount), next - consumed)))
        consumed += Int64(used)
        return (used, made)
    }
}
