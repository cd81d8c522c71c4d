import AVFoundation
import Foundation
import Platform
import PlaybackEngine

/// `tonearm inspect`: opens each file or URL, and prints its properties. Blocks.
struct InspectCommand {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Runs the command, and returns its exit status. A file or URL that cannot be opened gets one line on standard error.
    func run() -> Int32 {
        var status: Int32 = 0
        var isFirst = true
        let progress = ProgressLine()
        let count = Double(options.media.count)
        for (index, input) in options.media.enumerated() {
            if count > 1 { progress.show(Double(index) / count, Log.escaped(input)) }
            do throws(PlaybackError) {
                let report = try inspect(input) { progress.show((Double(index) + $0) / count, Log.escaped(input)) }
                progress.erase()
                let text = options.inspect.isJSON ? Log.escapedJSON(report.json) + "\n" : (isFirst ? "" : "\n") + report.text
                guard Log.write(text, to: STDOUT_FILENO) else {
                    Log.writeToStandardError("tonearm: standard output cannot be written: \(String(cString: strerror(errno)))\n")
                    return 1
                }
                isFirst = false
            } catch {
                progress.erase()
                Log.writeToStandardError(error.line(about: input))
                status = 1
            }
        }
        return status
    }

    /// - Parameter progress: Receives the part of the medium that was measured, from 0 to 1.
    private func inspect(_ input: String, progress: (Double) -> Void) throws(PlaybackError) -> MediaReport {
        let directory = FileManager.default.currentDirectoryPath
        var source = try MediaArgument(input, relativeTo: directory).source()
        source.prefersPreciseDuration = options.inspect.isPrecise || !source.isRemote
        let reader = try PlaybackEnvironment.default.opener.open(source, interrupt: Interrupt())
        var report = MediaReport(input: input, info: reader.info)
        report.info.duration = reader.duration
        if options.inspect.measuresLoudness { report.measurement = try measure(reader, progress) }
        return report
    }

    /// Reads the medium to its end, and returns its loudness.
    private func measure(_ reader: any AudioReader, _ progress: (Double) -> Void) throws(PlaybackError) -> LoudnessMeter.Measurement {
        guard !reader.info.isLive else { throw PlaybackError(.unsupportedFormat, "A live stream has no end, so its loudness cannot be measured.") }
        let format = reader.info.format
        guard let meter = LoudnessMeter(format) else {
            throw PlaybackError(.unsupportedFormat, "The loudness of \(format.channelCount) channels at \(format.sampleRate) Hz cannot be measured.")
        }
        let seconds = reader.info.duration.seconds
        while let block = try reader.read() {
            if let samples = block.samples.baseAddress { meter.add(samples, frameCount: block.frameCount) }
            if let seconds, seconds > 0 { progress(min(1, Double(block.end) / Double(format.sampleRate) / seconds)) }
        }
        return meter.measurement
    }
}

extension MediaSource {
    fileprivate var isRemote: Bool { if case .remote = location { true } else { false } }
}
