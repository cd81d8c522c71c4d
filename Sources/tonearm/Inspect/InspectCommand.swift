import AVFoundation
import Foundation
import PlaybackEngine

/// The command `tonearm inspect`, which opens each file or URL of the command line and prints its properties. The command `tonearm inspect` blocks
/// until all properties are printed.
struct InspectCommand {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Prints the reports on the files and URLs, and returns the exit status of the program. For a file or URL that cannot be opened, `run` prints
    /// one line on standard error, and continues with the others.
    func run() -> Int32 {
        var status: Int32 = 0
        var isFirst = true
        for input in options.media {
            do throws(PlaybackError) {
                let report = MediaReport(input: input, info: try inspect(input))
                let text = options.inspect.isJSON ? report.json + "\n" : (isFirst ? "" : "\n") + report.text
                guard Log.write(text, to: STDOUT_FILENO) else {
                    Log.writeToStandardError("tonearm: standard output cannot be written: \(String(cString: strerror(errno)))\n")
                    return 1
                }
                isFirst = false
            } catch {
                Log.writeToStandardError(error.line(about: input))
                status = 1
            }
        }
        return status
    }

    private func inspect(_ input: String) throws(PlaybackError) -> MediaInfo {
        let directory = FileManager.default.currentDirectoryPath
        var source = try MediaArgument(input, relativeTo: directory).source()
        source.prefersPreciseDuration = options.inspect.isPrecise || !source.isRemote
        let reader = try PlaybackEnvironment.default.opener.open(source, interrupt: Interrupt())
        var info = reader.info
        info.duration = reader.duration
        return info
    }
}

extension MediaSource {
    fileprivate var isRemote: Bool { if case .remote = location { true } else { false } }
}
