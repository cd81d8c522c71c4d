import AVFoundation
import FFmpegMedia
import Glibc
import HTTPServer
import PlaybackEngine
import Player
import RemoteControl

/// The settings from the command line and the environment; parsing changes nothing else.
struct Options: Sendable, Hashable {
    enum Command: Sendable, Hashable {
        case serve, inspect, render, remote, completion, man, version
        /// The help for a command; nil for the whole program.
        indirect case help(Command?)

        /// The commands that a user calls by a word, with that word.
        static let named: KeyValuePairs<String, Command> = [
            "serve": .serve, "remote": .remote, "render": .render, "inspect": .inspect, "completion": .completion, "man": .man,
        ]
        init?(word: String) {
            guard let found = Self.named.first(where: { $0.key == word }) else { return nil }
            self = found.value
        }
    }

    var command = Command.serve
    /// The media to play, render or inspect, as given; clients of `serve` may use these files too.
    var media: [String] = []
    var render = RenderOptions()
    var inspect = InspectOptions()
    var remote = RemoteOptions()
    var shell = Shell.bash
    var listen = ListenAddress.standard
    /// The media roots, as given.
    var mediaRoots: [String] = []
    var output = Output.auto
    /// The folder that is served in place of the embedded page.
    var web: String?
    /// Whether no token is needed, even on a network address.
    var noAuth = false
    /// The path of the token's file as given; nil for the standard file in the user's folder for state.
    var tokenFile: String?
    /// The path of the state directory as given; nil for a folder of the user.
    var stateDirectory: String?
    var noState = false
    /// Whether playback continues after a restart, if it was playing.
    var resumesPlayback = false
    /// The time for which a lost server is tried again, in seconds, after the buffered audio was heard.
    var retryTime = RetryPolicy.defaultPatience
    /// Whether the positions of long media are kept for their next playback.
    var remembersPositions = false
    /// The names of those `keptSettings` that the command line or the environment has set. Their values replace the saved ones.
    var given: Set<String> = []
    private static let keptSettings: Set = ["output", "loudness", "crossfade", "output-rate"]
    /// Whether clients need a token: on a network address, under a foreign name, behind a proxy, or if an option names a token file.
    var needsToken: Bool { !noAuth && (!listen.isLoopback || allowsForeignNames || !trustedProxies.isEmpty || tokenFile != nil) }
    /// The allowed hosts and origins that are not on this machine.
    private var outside: [String] { RequestGuard.outside(hosts: allowedHosts, origins: allowedOrigins) }
    var allowsForeignNames: Bool { !outside.isEmpty }
    var logLevel = Log.Level.info
    /// The loudness mode, used by `serve` and `render`.
    var loudness = LoudnessMode.off
    /// The duration of crossfades, in seconds, in `CrossfadeDuration.range`.
    var crossfade = 0.0
    /// The attenuation against clipping, used by `serve` and `render`.
    var headroom = Headroom.off
    /// The quality of the conversion of sample rates, used by `serve` and `render`.
    var resampler = Resampler.best
    /// The rate of the device, unless a client has chosen one.
    var outputRate = OutputRate.automatic
    /// The longest absence of the output after which playback resumes, in seconds.
    var outputPatience = OutputPolicy.standardPatience
    /// The greatest volume of a device that clients may set.
    var deviceVolumeLimit = DeviceVolume.maximum
    /// The dither of samples that a file of 16 bits cannot represent.
    var dither = Dither.tpdf
    /// The limit of the parameter `wait`, in seconds.
    var maximumWait = 60.0
    /// The names that are permitted in `Host`, besides addresses and `localhost`.
    var allowedHosts: [String] = []
    /// The origins that are permitted besides the server's own.
    var allowedOrigins: [String] = []
    /// The proxies whose `X-Forwarded-For` is believed.
    var trustedProxies: [AddressRange] = []
    var pathPrefix = PathPrefix.none
    /// Whether clients on other machines too may play URLs of private networks.
    var allowsPrivateURLs = false
    /// The name of the player for users; nil for the name of the machine.
    var name: String?
    /// The language of the order of folders, or `none`; nil for that of the environment.
    var sortLanguage: String?
    /// Warnings that are logged once at the start.
    var warnings: [String] = []
}

extension Options {
    /// - Parameter user: The number of the user who runs the program; 0 is root.
    static func warnings(ofUser user: uid_t) -> [String] {
        guard user == 0 else { return [] }
        return [
            "tonearm runs as root, which may read every file: run it as the user who owns the music; in a systemd unit, set User= or DynamicUser=yes"
        ]
    }
}

/// An error in the arguments or the environment, as one line for standard error. The exit status is then 2.
struct OptionsError: Error, Hashable, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

extension Options {
    /// Parses each setting from the arguments (without the program's name), otherwise from the environment; otherwise the default applies.
    ///
    /// `--option value` and `--option=value` are equivalent; `--` ends the options, which may precede or follow the media. Of several values of an
    /// option the last is used, so that a user can override those of a script. A list replaces the whole list of the environment.
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
        let hint =
            word.hasPrefix("-") ? "; the command must be the first argument: tonearm serve \(word)" : "; \"tonearm --help\" lists the commands"
        throw OptionsError("\"\(word)\" is not a command\(hint)")
    }

    /// Checks the conditions that concern several settings together.
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
            guard media.count == 1, let shell = Shell(rawValue: media[0]) else { throw OptionsError("completion needs bash or zsh") }
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

/// The settings as given, before their values are parsed.
private struct Given {
    let command: Options.Command
    let table: [Setting]
    /// The values by the setting's name; `source` is the option or environment variable that gave the value, for messages.
    var values: [String: [(value: String, source: String)]] = [:]
    var media: [String] = []
    /// The command that `--help` or `--version` requests instead.
    var replacement: Options.Command?

    init(command: Options.Command, table: [Setting]) {
        self.command = command
        self.table = table
    }

    mutating func read(_ arguments: ArraySlice<String>) throws(OptionsError) {
        var rest = arguments
        while let argument = rest.popFirst() {
            // The arguments of `remote` may be numbers with a sign.
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
            throw OptionsError("\(name) is not an option of this command")
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

    /// Whether a word begins with a dash, but is neither a single dash (standard output) nor a number with a sign.
    private static func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber) && second != "."
    }

    /// Fills in settings that the command line does not mention. Returns warnings about unknown variables with the prefix `TONEARM_`.
    mutating func fill(from environment: [String: String]) -> [String] {
        for setting in Setting.environment(of: command) where values[setting.name] == nil {
            guard let text = environment[setting.variable], !text.isEmpty else { continue }
            let parts = setting.separator.map { text.split(separator: $0).map(String.init) } ?? [text]
            values[setting.name] = parts.map { ($0, setting.variable) }
        }
        let known = (Setting.serve + Setting.environment(of: .remote)).map(\.variable)
        return environment.keys.filter { $0.hasPrefix(Setting.prefix) && !known.contains($0) }.sorted().map {
            "the environment variable \($0) is not a setting"
        }
    }
}

extension Options {
    struct Output: Sendable, Hashable {
        var kind: OutputKind
        /// The path of the output's file as given; nil if the output writes to no file.
        var path: String?

        /// The first sound server or device that is present.
        static let auto = Output(kind: .auto)
        static let pulse = Output(kind: .pulse)
        static let null = Output(kind: .null)
        static func file(path: String) -> Output { Output(kind: .file, path: path) }

        /// The names of the outputs without a parameter.
        static let names = [OutputKind.auto.rawValue] + PlaybackEnvironment.outputDrivers.map(\.id)
    }
}

extension Options.Output {
    init?(word: String) {
        if word.hasPrefix("file:"), word.count > 5 {
            self = .file(path: String(word.dropFirst(5)))
        } else if Self.names.contains(word) {
            self.init(kind: OutputKind(rawValue: word))
        } else {
            return nil
        }
    }
}
