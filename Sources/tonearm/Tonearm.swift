import CLinux
import Dispatch
import Glibc

/// The program: reads its arguments and becomes a daemon or does one job, or says why not.
@main
enum Tonearm {
    /// An orderly stop may take this long, in seconds; then it is cut short.
    private static let stopDeadline = 0.9

    @MainActor static func main() {
        let (options, style) = settings()
        switch options.command {
        case .help(let command): print(Options.help(command), terminator: "")
        case .version: print("tonearm \(Options.version)")
        case .inspect: exit(InspectCommand(options).run())
        case .render: exit(RenderCommand(options).run())
        case .serve: serve(options, log: Log(level: options.logLevel, style: style))
        }
    }

    /// Apart from `main`, whose variables stay for ever when its thread ends in `dispatchMain`.
    private static func settings() -> (Options, Log.Style) {
        let environment = currentEnvironment()
        do throws(OptionsError) {
            let options = try Options.parse(arguments: Array(CommandLine.arguments.dropFirst()), environment: environment)
            return (options, Log.style(environment: environment))
        } catch {
            Log.writeToStandardError("tonearm: \(error)\n")
            exit(2)
        }
    }

    @MainActor private static func serve(_ options: Options, log: Log) -> Never {
        // A piece of a mebibyte or more goes back to the system when it is freed. By itself glibc keeps pieces as large as the largest that was ever
        // freed, so that one medium with a large picture would count for the rest of the run.
        _ = CLinux_returnFreedMemory(1 << 20)
        for warning in options.warnings + Options.warnings(ofUser: geteuid()) { log(.warning, "settings", ["warning": warning]) }
        let running = Running()
        Signals.install(deadline: stopDeadline, log: log) { signal, _ in
            DispatchQueue.main.async {
                log(.info, "stopping", ["signal": signal])
                MainActor.assumeIsolated {
                    guard let daemon = running.daemon else { exit(0) }
                    daemon.stop { exit(0) }
                }
            }
        }
        do throws(Daemon.Unusable) {
            let daemon = try Daemon(options, log: log, environment: currentEnvironment())
            running.daemon = daemon
            try daemon.start()
        } catch {
            log(.error, "cannot start", ["reason": error.description])
            exit(1)
        }
        StartPages.giveBack()
        // From here on the main queue, which is the main actor, is served by whatever thread it has.
        dispatchMain()
    }

    /// Where the stop finds what it stops.
    @MainActor private final class Running {
        var daemon: Daemon?
    }

    private static func currentEnvironment() -> [String: String] {
        var values: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return values
    }
}
