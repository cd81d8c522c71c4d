import Dispatch
import Glibc
import Platform

@main
enum Tonearm {
    /// In seconds; then the program exits immediately.
    private static let stopDeadline = 0.9

    @MainActor static func main() {
        let (options, style) = settings()
        switch options.command {
        case .help(let command): print(Options.help(command), terminator: "")
        case .version: print("tonearm \(Options.version)")
        case .inspect: exit(InspectCommand(options).run())
        case .render: exit(RenderCommand(options).run())
        case .remote: exit(RemoteCommand(options, environment: currentEnvironment()).run())
        case .completion: print(CompletionScript.text(for: options.shell), terminator: "")
        case .man: print(ManualPage.text, terminator: "")
        case .serve:
            if options.hostTimeOffset != 0 { MonotonicClock.add(seconds: options.hostTimeOffset) }
            serve(options, log: Log(level: options.logLevel, style: style))
        }
    }

    /// Not in `main`, whose variables are never freed after `dispatchMain`.
    private static func settings() -> (Options, Log.Style) {
        let environment = currentEnvironment()
        do throws(OptionsError) {
            let options = try Options.parse(arguments: ArgumentText.commandLine(), environment: environment)
            return (options, Log.style(environment: environment))
        } catch {
            Log.writeToStandardError("tonearm: \(error)\n")
            exit(2)
        }
    }

    @MainActor private static func serve(_ options: Options, log: Log) -> Never {
        Heap.returnFreedMemory()
        for warning in options.warnings + Options.warnings(ofUser: geteuid()) { log(.warning, "settings", ["warning": warning]) }
        let running = Running()
        Signals.install(deadline: stopDeadline, log: log) { signal, _ in
            DispatchQueue.main.async {
                log(.info, "the program stops", ["signal": signal])
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
            log(.error, "the program cannot start", ["reason": error.description])
            exit(1)
        }
        // From here on libdispatch runs the main queue, on any of its threads.
        dispatchMain()
    }

    /// Empty until the daemon was created.
    @MainActor private final class Running {
        var daemon: Daemon?
    }

    /// From `environ`, because this file needs nothing else of Foundation. Bytes that are not UTF-8 are replaced; an entry without `=` is ignored.
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
