import AVFoundation
import FFmpegMedia
import Foundation
import Glibc
import Platform
import PlaybackEngine
import Synchronization

/// `tonearm render`: writes what the player would send to a device into a WAV file, faster than real time. Blocks.
struct RenderCommand {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Runs the command, and returns its exit status. A failure gets one line on standard error, and the incomplete file is removed.
    func run() -> Int32 {
        let output = Output(options.render, dither: options.dither)
        // A signal also removes the incomplete file. A closed pipe is an error of the write, because SIGPIPE is ignored.
        Signals.install(deadline: 0, log: Log(level: .error, style: .plain)) { _, number in
            output.discard()
            _exit(128 + number)
        }
        do throws(Failure) {
            var job = try job()
            if job.rate < 0, job.sources.count > 1 {
                throw Failure(line: "tonearm: a negative rate needs exactly one input, because a queue is played forwards only\n")
            }
            if let problem = problem(ofLoop: job) { throw Failure(line: "tonearm: \(problem)\n") }
            if let own = job.sources.firstIndex(where: { isSameFile($0) }) {
                throw Failure(line: "tonearm: \(Log.escaped(options.media[own])): is also the output, and would be overwritten\n")
            }
            let media = try inspect(job.sources)
            if job.rate < 0, options.render.start == nil { job.startTime = try end(of: media[0]) }
            output.use(options.render.encoding ?? nativeEncoding(media))
            let renderer = OfflineRenderer(opener: FFmpegOpener(resampler: options.resampler), makePitch: PlaybackEnvironment.makeTimePitch)
            let summary: OfflineRenderer.Summary
            let progress = ProgressLine()
            let length = Self.length(of: job, media)
            var rendered = 0.0
            do throws(OfflineRenderer.Failure) {
                summary = try renderer.render(job) { samples, format in
                    rendered += Double(samples.count / format.channelCount) / Double(format.sampleRate)
                    progress.show(length.map { rendered / $0 }, "\(RemoteText.clock(rendered)) rendered")
                    return output.take(samples, format)
                }
                progress.erase()
            } catch {
                progress.erase()
                throw error.source.map { failure(error.error, ofInput: $0) } ?? Failure(line: error.error.line(about: "render"))
            }
            if let error = output.error { throw Failure(line: error.line(about: output.name)) }
            guard summary.frames > 0 else {
                let limit = options.render.rate < 0 ? "the beginning" : "or after the end"
                throw Failure(line: "tonearm: there is nothing to render: --start is at \(limit) of \(Log.escaped(options.media[0]))\n")
            }
            do throws(PlaybackError) { try output.finish() } catch { throw Failure(line: error.line(about: output.name)) }
            if summary.skippedPackets > 0 {
                Log.writeToStandardError("tonearm: \(summary.skippedPackets) corrupt packets were replaced by silence\n")
            }
            return 0
        } catch {
            output.discard()
            Log.writeToStandardError(error.line)
            return 1
        }
    }

    private struct Failure: Error {
        var line: String
    }

    private func failure(_ error: PlaybackError, ofInput index: Int) -> Failure { Failure(line: error.line(about: options.media[index])) }

    private func job() throws(Failure) -> OfflineRenderer.Job {
        let directory = FileManager.default.currentDirectoryPath
        var sources: [MediaSource] = []
        for (index, input) in options.media.enumerated() {
            do throws(PlaybackError) { sources.append(try MediaArgument(input, relativeTo: directory).source()) } catch {
                throw failure(error, ofInput: index)
            }
        }
        var job = OfflineRenderer.Job(sources: sources)
        job.startTime = options.render.start ?? .zero
        job.duration = options.render.duration
        job.loop = options.render.loop
        job.turns = options.render.turns
        job.rate = options.render.rate
        job.algorithm = options.render.algorithm
        job.loudness = options.loudness
        job.headroom = options.headroom
        job.crossfade = options.crossfade
        job.sampleRate = options.render.sampleRate
        return job
    }

    /// Returns the reason why the options for the loop cannot be carried out together; nil if they can.
    private func problem(ofLoop job: OfflineRenderer.Job) -> String? {
        guard let loop = job.loop else { return job.turns == nil ? nil : "--turns needs --loop" }
        if job.turns == nil, !job.duration.isNumeric { return "--loop needs --turns or --duration, because a loop has no end" }
        if job.sources.count > 1 { return "--loop needs exactly one input" }
        if job.rate < 0 { return "--loop needs a positive rate" }
        return job.startTime >= loop.end ? "--start must be before the end of the loop" : nil
    }

    /// Whether a medium is the file to which the output is written, even if the paths differ.
    private func isSameFile(_ source: MediaSource) -> Bool {
        guard case .file(let output)? = options.render.output, case .file(let input) = source.location else { return false }
        return MediaArgument.isSameFile(FilePath(output), input)
    }

    /// Returns the end of the medium, where backward playback starts.
    private func end(of medium: MediaInfo) throws(Failure) -> CMTime {
        switch medium.duration {
        case .exact(let frames, let rate): return CMTime(value: frames, timescale: CMTimeScale(rate))
        default: throw Failure(line: "tonearm: the exact duration of \(Log.escaped(options.media[0])) is not known: a negative rate needs --start\n")
        }
    }

    /// The estimated length of the output in seconds, for the progress.
    private static func length(of job: OfflineRenderer.Job, _ media: [MediaInfo]) -> Double? {
        var seconds = 0.0
        for medium in media {
            switch medium.duration {
            case .exact(let frames, let rate), .estimated(let frames, let rate): seconds += Double(frames) / Double(max(1, rate))
            case .unknown: return job.duration.isNumeric ? job.duration.seconds : nil
            }
        }
        let start = job.startTime.isNumeric ? job.startTime.seconds : 0
        let whole = (job.rate < 0 ? start : seconds - start) / abs(job.rate)
        return job.duration.isNumeric ? min(whole, job.duration.seconds) : whole
    }

    /// Opens all media before the rendering, so that an invalid medium is reported at once, and the bit depths are known.
    private func inspect(_ sources: [MediaSource]) throws(Failure) -> [MediaInfo] {
        var found: [MediaInfo] = []
        for (index, source) in sources.enumerated() {
            do throws(PlaybackError) {
                found.append(try PlaybackEnvironment.default.opener.open(source, interrupt: Interrupt()).info)
            } catch {
                throw failure(error, ofInput: index)
            }
        }
        return found
    }
}

/// The encoding with the highest bit depth of all media; floats if one medium has floats or is lossy.
func nativeEncoding(_ media: [MediaInfo]) -> WaveEncoding {
    var widest = WaveEncoding.int16
    for info in media {
        guard let bits = info.bitsPerSample, !info.isFloat else { return .float32 }
        let own: WaveEncoding = bits > 24 ? .int32 : bits > 16 ? .int24 : .int16
        if own.bytesPerSample > widest.bytesPerSample { widest = own }
    }
    return widest
}

extension RenderCommand {
    /// A WAV file or standard output, created with the first block of audio, because the format is not known earlier.
    ///
    /// `@unchecked Sendable`: only the rendering thread uses `encoding` and `error`; a lock protects the writer, which `discard` uses on any thread.
    final class Output: @unchecked Sendable {
        private let destination: WaveWriter.Destination
        private let dither: Dither
        let name: String
        private(set) var encoding = WaveEncoding.float32
        /// The error of the last failed `take`.
        private(set) var error: PlaybackError?
        private let file = Mutex(File())

        private struct File {
            var writer: WaveWriter?
            /// Whether the output was discarded; no file is created afterwards.
            var isDiscarded = false
        }

        init(_ options: RenderOptions, dither: Dither = .tpdf) {
            self.dither = dither
            switch options.output {
            case .file(let path): (destination, name) = (.file(path: path), path)
            case .standardOutput, nil: (destination, name) = (.stream(descriptor: STDOUT_FILENO), "standard output")
            }
        }

        /// Sets the encoding. Called before the first block of audio.
        func use(_ encoding: WaveEncoding) { self.encoding = encoding }

        /// Writes a block of audio. Returns false after an `error`, and after `discard`.
        func take(_ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat) -> Bool {
            do throws(PlaybackError) {
                // The file is created under the lock, so that `discard` cannot miss it.
                let writer = try file.withLock { file throws(PlaybackError) -> WaveWriter? in
                    if file.writer == nil, !file.isDiscarded {
                        file.writer = try WaveWriter(to: destination, format: format, encoding: encoding, dither: dither)
                    }
                    return file.writer
                }
                try writer?.append(samples)
                return writer != nil
            } catch {
                self.error = error
                return false
            }
        }

        func finish() throws(PlaybackError) { try file.withLock { $0.writer }?.finish() }

        func discard() {
            file.withLock { file in
                file.isDiscarded = true
                file.writer?.discard()
            }
        }
    }
}
