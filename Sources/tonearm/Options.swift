import FFmpegMedia
import Glibc
import MicroHTTP
import PlaybackEngine
import RemoteControl

/// The options from the command line and the environment. `Options` is a value: parsing the command line changes nothing outside it.
struct Options: Sendable, Hashable {
    enum Command: Sendable, Hashable {
        case serve, inspect, render, remote, completion, man, version
        /// The command that prints the help of one command; nil means the help of the whole program.
        indirect case help(Command?)

        /// The commands of the program that have a word on the command line.
        static let named: KeyValuePairs<String, Command> = [
            "serve": .serve, "remote": .remote, "render": .render, "inspect": .inspect, "completion": .completion, "man": .man,
        ]
        /// Creates the command that a word of the command line names; nil if the word names no command.
        init?(word: String) {
            guard let found = Self.named.first(where: { $0.key == word }) else { return nil }
            self = found.value
        }
    }

    var command = Command.serve
    /// The media files and URLs to play, render or inspect, as given on the command line. The command `serve` also permits clients to use the files
    /// that the command line names.
    var media: [String] = []
    /// The options of the command `tonearm render`.
    var render = RenderOptions()
    /// The options of the command `tonearm inspect`.
    var inspect = InspectOptions()
    /// The options of the command `remote`.
    var remote = RemoteOptions()
    /// The shell for which the command `completion` prints a script.
    var shell = Shell.bash
    var listen = ListenAddress.standard
    /// The folders whose media clients may play and browse (the media roots), as given on the command line.
    var mediaRoots: [String] = []
    var output = Output.auto
    /// The folder with a web page that replaces the embedded page; nil for the embedded page.
    var web: String?
    /// Whether clients never need a token, even on a network address.
    var noAuth = false
    /// The path of the token's file, as given on the command line; nil means a file in the user's folder for state.
    var tokenFile: String?
    /// The folder for the state that survives a restart, as given on the command line; nil for a folder of the user.
    var stateDirectory: String?
    /// Whether the player's state is not saved for the next run of the program.
    var noState = false
    /// Whether playback continues after a restart, if it was playing before.
    var resumesPlayback = false
    /// The time, in seconds, for which the player tries to reach a lost server again. It begins after the buffered audio was heard.
    var retryTime = RetryPolicy.defaultPatience
    /// Whether the positions of long media are remembered, so that playback of a medium continues at the position at which it was last left.
    var remembersPositions = false
    /// The names of the settings of `keptSettings` that the command line or the environment has set. The values of these settings replace the values
    /// that an earlier run has saved.
    var given: Set<String> = []
    private static let keptSettings: Set = ["output", "loudness", "crossfade", "output-rate"]
    /// Whether clients must send a token with their requests. Clients must send a token if the server listens on a network address, if an option
    /// names a file for the token, or if a proxy may forward requests of other machines.
    var needsToken: Bool { !noAuth && (!listen.isLoopback || allowsForeignNames || !trustedProxies.isEmpty || tokenFile != nil) }
    /// The allowed hosts and origins that are not on this machine.
    private var outside: [String] { RequestGuard.outside(hosts: allowedHosts, origins: allowedOrigins) }
    var allowsForeignNames: Bool { !outside.isEmpty }
    var logLevel = Log.Level.info
    /// The kind of loudness tags (track or album) by which `serve` and `render` normalise the loudness, or `off`.
    var loudness = LoudnessMode.off
    /// The duration of crossfades between two items, in seconds, in `CrossfadeDuration.range`.
    var crossfade = 0.0
    /// The attenuation that keeps samples below full scale, in `serve` and `render`.
    var headroom = Headroom.off
    /// The quality of the conversion of sample rates in `serve` and `render`.
    var resampler = Resampler.best
    /// How `serve` chooses the sample rate of devices for which a client has made no choice.
    var outputRate = OutputRate.automatic
    /// The noise that `serve` and `render` add to samples that a WAV file of 16 bits cannot represent.
    var dither = Dither.tpdf
    /// The upper limit of the parameter `wait` of requests, in seconds. With this parameter a request waits for a change of the player's state.
    var maximumWait = 60.0
    /// The host names that the header field `Host` of a request may contain, besides network addresses and `localhost`.
    var allowedHosts: [String] = []
    /// The web origins whose pages may call the API, besides the server's own origin.
    var allowedOrigins: [String] = []
    /// The addresses of the proxies from which the server accepts the address of a client (`X-Forwarded-For`).
    var trustedProxies: [AddressRange] = []
    /// The path below which a proxy serves the server.
    var pathPrefix = PathPrefix.none
    /// Whether clients on other machines may play URLs that lead to private networks.
    var allowsPrivateURLs = false
    /// The name of the player that users see; nil means the name of the machine.
    var name: String?
    /// The seconds that are added to the host clock, for tests of clients.
    var hostTimeOffset = 0.0
    /// The warnings about the options, which are logged once at the start of the program.
    var warnings: [String] = []
}

extension Options {
    /// Returns the warnings about the user who runs the program.
    /// - Parameter user: The number of the user who runs the program; 0 is root.
    static func warnings(ofUser user: uid_t) -> [String] {
        guard user == 0 else { return [] }
        return [
            "tonearm runs as root, which may read every file: run it as the user who owns the music; in a systemd unit, set User= or DynamicUser=yes"
        ]
    }
}

/// The reason why the command line is invalid, as one line for standard error. After an invalid command line, the exit status of the program is 2.
struct OptionsError: Error, Hashable, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

extension Options {
    /// Returns the options from the arguments (without the program's name), otherwise from the environment, and otherwise the defaults.
    ///
    /// On the command line, `--option value` and `--option=value` are equivalent. The argument `--` ends the options of the command line. Options of
    /// the command line may precede or follow the media. An option of the command line overrides the environment variable of the same setting; for
    /// lists, it replaces the whole list. If an option of the command line that is not a list is given several times, the last value is used, so that
    /// a user can override the options of a script by appending other options.
    static func parse(arguments: [String], environment: [String: String] = [:]) throws(OptionsError) -> Options {
        var options = Options()
        guard let first = arguments.first else {
            throw OptionsError("a command is missing: \"tonearm serve\" starts the player, \"tonearm --help\" lists the commands")
        }
        switch first {
        case "--help", "-h":
            options.command = .help(nil)
            return options
        case "help":
            options.command = .help(try arguments.dropFirst().first.map { word throws(OptionsError) in try command(word) })
            return options
        case "--version", "-V", "version":
            options.command = .version
            return options
        default: options.command = try command(first)
        }

        let table = Setting.table(of: options.command)
        var given = Given(command: options.command, table: table)
        try given.read(arguments.dropFirst())
        if let command = given.replacement {
            options.command = command
            return options
        }
        let warnings = given.fill(from: environment)
        if options.command == .serve { options.warnings = warnings }
        options.media = given.media
        options.given = keptSettings.intersection(given.values.keys)
        for setting in table {
            for (value, source) in given.values[setting.name] ?? [] {
                do throws(Setting.Invalid) { try setting.apply(&options, value) } catch {
                    throw OptionsError("\(source) \(error.reason), not \"\(value)\"")
                }
            }
        }
        try options.check()
        return options
    }

    private static func command(_ word: String) throws(OptionsError) -> Command {
        if let command = Command(word: word) { return command }
        let isOption = word.hasPrefix("-")
        let hint =
            isOption
            ? "; the command must be the first argument: tonearm serve \(word)"
            : suggestion(for: word, among: Command.named.map(\.key) + ["help", "version"])
        throw OptionsError("\"\(word)\" is not a command\(hint)")
    }

    /// Checks the conditions that concern several settings of the command line together.
    private mutating func check() throws(OptionsError) {
        switch command {
        case .serve:
            try checkExposure()
            if noState, stateDirectory != nil { throw OptionsError("--no-state and --state-dir cannot be combined") }
        case .inspect:
            if media.isEmpty { throw OptionsError("inspect needs at least one FILE or URL") }
        case .render:
            if media.isEmpty { throw OptionsError("render needs at least one FILE or URL") }
            if render.output == nil { throw OptionsError("render needs --output FILE.wav, or --output - for standard output") }
        case .remote:
            remote.operation = try RemoteAction.operation(media)
            if remote.addsNext, media.first != "add" { throw OptionsError("--next needs the command add") }
            if remote.follows, remote.operation == .servers { throw OptionsError("--follow cannot be combined with servers") }
        case .completion:
            guard media.count == 1, let shell = Shell(rawValue: media[0]) else { throw OptionsError("completion needs bash, zsh or fish") }
            self.shell = shell
        case .man:
            if !media.isEmpty { throw OptionsError("man has no arguments") }
        case .help, .version: break
        }
    }

    private mutating func checkExposure() throws(OptionsError) {
        if noAuth, tokenFile != nil { throw OptionsError("--no-auth and --token-file cannot be combined") }
        guard noAuth else { return }
        if !listen.isLoopback {
            warnings.append(
                "everyone who can reach \(listen) controls the player, because --no-auth is given and the address is not a loopback address")
        } else if allowsForeignNames {
            warnings.append(
                "everyone who can reach this server as \(outside.joined(separator: " or ")) controls the player, because --no-auth is given "
                    + "and the name is not local")
        }
    }
}

/// The arguments and environment variables as given to the program, before their values are parsed.
private struct Given {
    let command: Options.Command
    let table: [Setting]
    /// The values of each setting as given, by the setting's name. `source` is the option or environment variable that contained the setting's value,
    /// for messages.
    var values: [String: [(value: String, source: String)]] = [:]
    var media: [String] = []
    /// The command that `--help` or `--version` requests instead of the given command; nil if neither option was given.
    var replacement: Options.Command?

    init(command: Options.Command, table: [Setting]) {
        self.command = command
        self.table = table
    }

    mutating func read(_ arguments: ArraySlice<String>) throws(OptionsError) {
        var rest = arguments
        while let argument = rest.popFirst() {
            // The commands of the remote accept numbers with a sign.
            let isArgument = command == .remote && !Self.looksLikeOption(argument)
            guard argument.hasPrefix("-"), argument != "-", !isArgument else {
                media.append(argument)
                continue
            }
            switch argument {
            case "--":
                media += rest
                return
            case "--help", "-h": replacement = .help(command)
            case "--version", "-V": replacement = replacement ?? .version
            default: try readSetting(argument, &rest)
            }
        }
    }

    private mutating func readSetting(_ argument: String, _ rest: inout ArraySlice<String>) throws(OptionsError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        guard let setting = table.first(where: { $0.option == name || $0.letter == name }) else {
            throw OptionsError(
                "\(name) is not an option of this command\(suggestion(for: name, among: table.map(\.option) + ["--help", "--version"]))")
        }
        let value: String
        if setting.placeholder == nil {
            guard parts.count == 1 else { throw OptionsError("\(name) must not have a value") }
            value = "yes"
        } else if parts.count == 2 {
            value = parts[1]
        } else if let next = rest.first, !Self.looksLikeOption(next) {
            value = rest.removeFirst()
        } else {
            throw OptionsError("\(name) needs a value: \(name) \(setting.placeholder ?? "")")
        }
        values[setting.name, default: []].append((value, name))
    }

    /// Whether an argument of the command line is an option. A single dash is not an option, because it means standard output. A dash before a digit
    /// or a point is the sign of a number.
    private static func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber) && second != "."
    }

    /// Adds the value of the environment variable for each setting that the command line does not mention. Returns a warning for each unknown
    /// environment variable with the prefix `TONEARM_`.
    mutating func fill(from environment: [String: String]) -> [String] {
        for setting in Setting.environment(of: command) where values[setting.name] == nil {
            guard let text = environment[setting.variable], !text.isEmpty else { continue }
            let parts = setting.separator.map { text.split(separator: $0).map(String.init) } ?? [text]
            values[setting.name] = parts.map { ($0, setting.variable) }
        }
        let known = (Setting.serve + Setting.environment(of: .remote)).map(\.variable)
        return environment.keys.filter { $0.hasPrefix(Setting.prefix) && !known.contains($0) }.sorted().map {
            "the environment variable \($0) is not a setting\(suggestion(for: $0, among: known))"
        }
    }
}
