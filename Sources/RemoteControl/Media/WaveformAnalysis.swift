import Platform
import PlaybackEngine
import Player

/// Reads one medium from its start to its end, in slices of time.
///
/// `@unchecked Sendable`: the slices run one after the other on one serial queue, and only they use the mutable state.
final class WaveformAnalysis: @unchecked Sendable {
    /// The duration of a slice, in seconds.
    static let slice = 0.5
    /// The duration of media that is analysed, in seconds.
    static let maximumDuration = 100 * 3600.0

    struct Progress: Sendable {
        var waveform: Waveform
        /// The duration of the medium, in seconds.
        var duration: Double?
        var isComplete: Bool
    }

    private let source: MediaSource
    private let opener: any MediaOpener
    private let clock: any HostClock
    private let archive: (any WaveformArchive)?
    /// The identity of the file before it was read; nil if the waveform is not kept.
    private var identity: FileIdentity?
    private let interrupt = Interrupt()
    private var reader: (any AudioReader)?
    private var waveform = Waveform(sampleRate: 1)

    init(_ source: MediaSource, opener: any MediaOpener, clock: any HostClock, archive: (any WaveformArchive)? = nil) {
        self.source = source
        self.opener = opener
        self.clock = clock
        self.archive = archive
    }

    /// Ends the analysis soon. May be called on any thread.
    func cancel() { interrupt.raise() }
    var isCancelled: Bool { interrupt.isRaised }

    /// Analyses for `slice` seconds or until the end. Blocks.
    func step() -> Result<Progress, Problem> {
        do throws(PlaybackError) {
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
            if reader == nil, let kept = kept() { return .success(kept) }
            return try read()
        } catch {
            reader = nil
            if error.code == .cancelled { return .failure(Self.cancelled) }
            return .failure(Problem(PlayerState.Failure(code: error.code, message: error.message, reason: error.reason)))
        }
    }

    static var cancelled: Problem { Problem(.itemNotFound, "The item has been removed.") }

    private func read() throws(PlaybackError) -> Result<Progress, Problem> {
        let end = clock.now + Self.slice
        let reader = try openedReader()
        let limit = Int64(Self.maximumDuration * Double(waveform.sampleRate))
        guard !reader.info.isLive else { return .failure(Self.endless) }
        while clock.now < end {
            guard let block = try reader.read() else {
                self.reader = nil
                keep()
                return .success(Progress(waveform: waveform, duration: waveform.duration, isComplete: true))
            }
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
            waveform.append(block)
            if waveform.frameCount > limit { return .failure(Self.endless) }
        }
        return .success(Progress(waveform: waveform, duration: reader.duration.seconds, isComplete: false))
    }

    /// The kept waveform of the file; nil if the file has changed since, or none is kept.
    private func kept() -> Progress? {
        guard let archive, let present = presentIdentity else { return nil }
        identity = present
        guard let waveform = archive.waveform(named: present.name).flatMap({ Waveform($0) }) else { return nil }
        return Progress(waveform: waveform, duration: waveform.duration, isComplete: true)
    }

    /// Keeps the waveform, unless the file has changed while it was read.
    private func keep() {
        guard let archive, let identity, presentIdentity == identity else { return }
        archive.keep(waveform.bytes, named: identity.name)
    }

    private var presentIdentity: FileIdentity? {
        guard case .file(let path) = source.location, let path = try? AbsolutePath(bytes: path.bytes) else { return nil }
        return FileIdentity(path)
    }

    private func openedReader() throws(PlaybackError) -> any AudioReader {
        if let reader { return reader }
        let opened = try opener.open(source, interrupt: interrupt)
        reader = opened
        waveform = Waveform(sampleRate: opened.info.format.sampleRate)
        return opened
    }

    private static var endless: Problem {
        Problem(.noWaveform, "The item has no known end, or is longer than \(JSONWriter.text(maximumDuration / 3600)) hours.")
    }
}
