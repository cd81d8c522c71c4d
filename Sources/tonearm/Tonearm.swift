import Dispatch
import Glibc
import Platform

@main
enum Tonearm {
    /// The time limit for an orderly stop, in seconds; then the program exits immediately. A second signal ends it sooner.
    private static let stopDeadline = 5.0

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
        case .serve: serve(options, log: Log(level: options.logLevel, style: style))
        }
    }

    /// Reads the settings in a function of its own, because variables of `main` are never freed after `dispatchMain`.
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
                    daemon.stop { exit(daemon.exitStatus) }
                }
            }
        }
        do throws(Unusable) {
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

    /// Refers to the running daemon, which is nil until it was created.
    @MainActor private final class Running {
        var daemon: Daemon?
    }

    /// Reads `environ`, because this file does not need Foundation otherwise. Bytes that are not UTF-8 are replaced; entries without `=` are ignored.
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

/// The arguments of the process as text. Arguments are bytes, and a file name in an argument need not be UTF-8.
enum ArgumentText {
    /// The arguments without the name of the program.
    static func commandLine() -> [String] {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
        guard let directory = getcwd(nil, 0) else { return texts(arguments, directory: []) }
        defer { free(directory) }
        return texts(arguments, directory: Array(UnsafeRawBufferPointer(start: directory, count: strlen(directory))))
    }

    /// Converts arguments to text. A path that is not UTF-8 becomes a `file:` URL; in other arguments U+FFFD replaces bytes that are not UTF-8. Paths
    /// are relative to `directory`.
    static func texts(_ arguments: [[UInt8]], directory: [UInt8]) -> [String] {
        arguments.enumerated().map { index, bytes in
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            let former = index > 0 ? arguments[index - 1] : []
            let isValue = former.starts(with: "-".utf8) && !former.elementsEqual("--media-root".utf8)
            guard bytes.first != UInt8(ascii: "-"), !isValue else { return String(decoding: bytes, as: UTF8.self) }
            let slash = UInt8(ascii: "/")
            return FilePath(bytes: bytes.first == slash ? bytes : directory + [slash] + bytes).url
        }
    }
}
