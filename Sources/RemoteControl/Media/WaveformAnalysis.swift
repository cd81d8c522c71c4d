import Platform
import PlaybackEngine
import Playlist

/// The analysis of one medium for its waveform, in slices of time. The analysis opens the medium, and reads it from its start to its end.
///
/// `@unchecked Sendable`: the slices run one after the other on one serial queue, and only the slices use the mutable state.
final class WaveformAnalysis: @unchecked Sendable {
    /// The time after which a slice ends, in seconds.
    static let slice = 0.5
    /// The maximum duration of a medium, in seconds.
    static let maximumDuration = 100 * 3600.0

    /// The part of the waveform that is known after a slice, and the facts about the medium.
    struct Progress: Sendable {
        var waveform: Waveform
        /// The duration of the medium, in seconds; nil if it is unknown.
        var duration: Double?
        var isComplete: Bool
    }

    private let source: MediaSource
    private let opener: any MediaOpener
    private let clock: any HostClock
    private let archive: (any WaveformArchive)?
    /// The identity of the medium's file before it was read; nil if the waveform is not kept.
    private var identity: FileIdentity?
    private let interrupt = Interrupt()
    private var reader: (any AudioReader)?
    private var waveform = Waveform(sampleRate: 1)

    /// - Parameter archive: The archive that keeps the waveforms of files; nil if they are not kept.
    init(_ source: MediaSource, opener: any MediaOpener, clock: any HostClock, archive: (any WaveformArchive)? = nil) {
        self.source = source
        self.opener = opener
        self.clock = clock
        self.archive = archive
    }

    /// Ends the analysis soon. Any thread may call `cancel`.
    func cancel() { interrupt.raise() }
    var isCancelled: Bool { interrupt.isRaised }

    /// Reads the medium for `slice` seconds, or until the medium ends. `step` blocks.
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

    /// The problem with which a request is answered if its analysis was cancelled.
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

    /// Returns the waveform that was kept for the medium's file, if the file has not changed since; otherwise nil.
    private func kept() -> Progress? {
        guard let archive, let present = presentIdentity else { return nil }
        identity = present
        guard let waveform = archive.waveform(named: present.name).flatMap({ Waveform($0) }) else { return nil }
        return Progress(waveform: waveform, duration: waveform.duration, isComplete: true)
    }

    /// Keeps the complete waveform, unless the file has changed while it was read.
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
