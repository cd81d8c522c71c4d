import Platform
import PlaybackEngine
import Player

/// Reads one medium from its start to its end, in slices of time.
///
/// `@unchecked Sendable`: the slices run one after the other on one serial queue, and only they use the mutable state.
final class WaveformAnalysis: @unchecked Sendable {
    /// The time for which a slice runs, in seconds.
    static let slice = 0.5
    /// The longest duration of media that are analysed, in seconds.
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
    private let interrupt = Interrupt()
    private var reader: (any AudioReader)?
    private var waveform = Waveform(sampleRate: 1)

    init(_ source: MediaSource, opener: any MediaOpener, clock: any HostClock) {
        self.source = source
        self.opener = opener
        self.clock = clock
    }

    /// Ends the analysis soon. May be called on any thread.
    func cancel() { interrupt.raise() }
    var isCancelled: Bool { interrupt.isRaised }

    /// Analyses for `slice` seconds or until the end. Blocks.
    func step() -> Result<Progress, Problem> {
        do throws(PlaybackError) {
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
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
                return .success(Progress(waveform: waveform, duration: waveform.duration, isComplete: true))
            }
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
            waveform.append(block)
            if waveform.frameCount > limit { return .failure(Self.endless) }
        }
        return .success(Progress(waveform: waveform, duration: reader.duration.seconds, isComplete: false))
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
