import Glibc

/// The program: reads its arguments and becomes a daemon, or says why not.
@main
enum Tonearm {
    static func main() {
        let environment = currentEnvironment()
        let options: Options
        do throws(OptionsError) {
            options = try Options.parse(arguments: Array(CommandLine.arguments.dropFirst()), environment: environment)
        } catch {
            Log.writeToStandardError("tonearm: \(error)\n")
            exit(2)
        }
        switch options.command {
        case .help: print(Options.help, terminator: "")
        case .version: print("tonearm \(Options.version)")
        case .serve: break
        }
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
