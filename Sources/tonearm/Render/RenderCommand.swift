import AVFoundation
import Foundation
import PlaybackEngine

/// `tonearm render`: writes into a WAV file what the player would send to a device, faster than it plays. Blocks.
struct RenderCommand {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// The exit status. What goes wrong is one line on standard error, and leaves no file behind.
    func run() -> Int32 {
        let output = Output(options.render)
        // Ended by a signal it leaves no file behind either; and a reader that goes away is an error of a write.
        Signals.install(deadline: 0, log: Log(level: .error, style: .plain)) { _, number in
            output.discard()
            _exit(128 + number)
        }
        do throws(Complaint) {
            var job = try job()
            if job.rate < 0, job.sources.count > 1 {
                throw Complaint(line: "tonearm: a negative rate takes one input: a queue goes on forwards only\n")
            }
            if let own = job.sources.firstIndex(where: { isSameFile($0) }) {
                throw Complaint(line: "tonearm: \(Log.escaped(options.media[own])): is the output too, and would be overwritten\n")
            }
            let media = try look(at: job.sources)
            if job.rate < 0, options.render.start == nil { job.startTime = try end(of: media[0]) }
            output.encoding = options.render.encoding ?? nativeEncoding(media)
            let renderer = OfflineRenderer(opener: PlaybackEnvironment.default.opener, makePitch: PlaybackEnvironment.makeTimePitch)
            let summary: OfflineRenderer.Summary
            do throws(OfflineRenderer.Failure) {
                summary = try renderer.render(job) { samples, format in output.take(samples, format) }
            } catch {
                throw error.source.map { complaint(error.error, ofInput: $0) } ?? Complaint(line: error.error.line(about: "render"))
            }
            if let error = output.error { throw Complaint(line: error.line(about: output.name)) }
            guard summary.frames > 0 else {
                let place = options.render.rate < 0 ? "the beginning" : "or behind the end"
                throw Complaint(line: "tonearm: there is nothing to render: --start is at \(place) of \(Log.escaped(options.media[0]))\n")
            }
            do throws(PlaybackError) { try output.finish() } catch { throw Complaint(line: error.line(about: output.name)) }
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

    /// What a person is told.
    private struct Complaint: Error {
        var line: String
    }

    private func complaint(_ error: PlaybackError, ofInput place: Int) -> Complaint { Complaint(line: error.line(about: options.media[place])) }

    private func job() throws(Complaint) -> OfflineRenderer.Job {
        let here = FileManager.default.currentDirectoryPath
        var sources: [MediaSource] = []
        for (place, input) in options.media.enumerated() {
            do throws(PlaybackError) { sources.append(try MediaArgument(input, relativeTo: here).source()) } catch {
                throw complaint(error, ofInput: place)
            }
        }
        var job = OfflineRenderer.Job(sources: sources)
        job.startTime = options.render.start ?? .zero
        job.duration = options.render.duration
        job.rate = options.render.rate
        job.algorithm = options.render.algorithm
        job.loudness = options.loudness
        job.crossfade = options.crossfade
        return job
    }

    /// Whether the output has the place of this input, by whatever name.
    private func isSameFile(_ source: MediaSource) -> Bool {
        guard case .file(let output)? = options.render.output, case .file(let input) = source.location else { return false }
        return MediaArgument.isSameFile(output, input)
    }

    /// Backwards, it begins at the end.
    private func end(of medium: MediaInfo) throws(Complaint) -> CMTime {
        switch medium.duration {
        case .exact(let frames, let rate): return CMTime(value: frames, timescale: CMTimeScale(rate))
        default: throw Complaint(line: "tonearm: how long \(Log.escaped(options.media[0])) is, is not known exactly: a negative rate wants --start\n")
        }
    }

    /// Opens every input once before any is rendered: what cannot be opened is told at once, and how fine their samples are is known.
    private func look(at sources: [MediaSource]) throws(Complaint) -> [MediaInfo] {
        var found: [MediaInfo] = []
        for (place, source) in sources.enumerated() {
            do throws(PlaybackError) {
                found.append(try PlaybackEnvironment.default.opener.open(source, interrupt: Interrupt()).info)
            } catch {
                throw complaint(error, ofInput: place)
            }
        }
        return found
    }
}

/// The encoding that loses nothing of any of the media: as many bits as the finest has, floats where one has floats or is lossy.
func nativeEncoding(_ media: [MediaInfo]) -> WaveEncoding {
    var widest = WaveEncoding.int16
    for info in media {
        guard let bits = info.bitsPerSample, !info.codecName.hasPrefix("pcm_f") else { return .float32 }
        let own: WaveEncoding = bits > 24 ? .int32 : bits > 16 ? .int24 : .int16
        if own.bytesPerSample > widest.bytesPerSample { widest = own }
    }
    return widest
}
