import Glibc
import MicroHTTP
import PlaybackEngine
import RemoteControl

/// What the command line and the environment ask for. A value: reading it touches nothing outside.
struct Options: Sendable, Hashable {
    enum Command: Sendable, Hashable {
        case serve, inspect, render, version
        /// The help of one command, or of the program.
        indirect case help(Command?)

        /// The commands that have settings, by the word that asks for them.
        static let named: KeyValuePairs<String, Command> = ["serve": .serve, "render": .render, "inspect": .inspect]
        /// The command of a word, nil where there is none.
        init?(word: String) {
            guard let found = Self.named.first(where: { $0.key == word }) else { return nil }
            self = found.value
        }
    }

    var command = Command.serve
    /// Files and URLs, as given: to begin with, to render, to inspect. For `serve`, a file is permitted by being named here.
    var media: [String] = []
    /// What `render` is to do.
    var render = RenderOptions()
    /// What `inspect` is to do.
    var inspect = InspectOptions()
    var listen = ListenAddress.standard
    /// Folders whose media may be played and browsed, as given.
    var mediaRoots: [String] = []
    var output = Output.auto
    /// A folder that replaces the embedded page.
    var web: String?
    /// Serves everyone who can reach the address.
    var noAuth = false
    /// Where the token is kept, as given; nil for the place where state is kept.
    var tokenFile: String?
    /// Whether clients must show a token: those that come by an address of the network, and all where a file for it was named, or where clients of other
    /// machines may come by way of a proxy.
    var needsToken: Bool { !noAuth && (!listen.isLoopback || allowsForeignNames || tokenFile != nil) }
    /// The hosts and origins that are allowed and are not this machine.
    private var outside: [String] { RequestGuard.outside(hosts: allowedHosts, origins: allowedOrigins) }
    var allowsForeignNames: Bool { !outside.isEmpty }
    var logLevel = Log.Level.info
    /// By which tags `serve` and `render` make media equally loud.
    var loudness = LoudnessMode.off
    /// Seconds, in `CrossfadeDuration.range`.
    var crossfade = 0.0
    /// Shortens every `wait`, seconds.
    var maximumWait = 60.0
    /// Names besides addresses and `localhost` that a `Host` field may carry.
    var allowedHosts: [String] = []
    /// Origins besides the server's own whose pages may call the API.
    var allowedOrigins: [String] = []
    /// Clients of other machines may have URLs of private networks opened.
    var allowsPrivateURLs = false
    /// What deserves a word and forbids nothing. Logged once at the start.
    var warnings: [String] = []
}

extension Options {
    /// What deserves a word of the user that the program runs as.
    static func warnings(ofUser user: uid_t) -> [String] {
        guard user == 0 else { return [] }
        return [
            "tonearm runs as root, who may read every file: run it as the user whose music it plays; in a unit of systemd, set User= or DynamicUser=yes"
        ]
    }
}

/// Why the command line cannot be carried out: one line for standard error. Exit status 2.
struct OptionsError: Error, Hashable, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

extension Options {
    /// Reads the arguments (without the program's own name) over the environment over the defaults.
    ///
    /// `--option value` and `--option=value` mean the same, `--` ends the options, and options may stand before or behind the media.
    /// A setting given in both places is taken from the command line; that holds for lists as a whole. Of several values for a single setting the last
    /// counts, so that a script's own may be overridden by what its user adds.
    static func parse(arguments: [String], environment: [String: String] = [:]) throws(OptionsError) -> Options {
        var options = Options()
        guard let first = arguments.first else {
            throw OptionsError("nothing to do: \"tonearm serve\" starts the player, \"tonearm --help\" tells more")
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
        if let command = given.instead {
            options.command = command
            return options
        }
        if options.command == .serve { options.warnings = given.fill(from: environment) }
        options.media = given.media
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
            ? "; a command comes first: tonearm serve \(word)"
            : suggestion(for: word, among: Command.named.map(\.key) + ["help", "version"])
        throw OptionsError("\"\(word)\" is not a command\(hint)")
    }

    /// What only settings taken together can get wrong.
    private mutating func check() throws(OptionsError) {
        switch command {
        case .serve: try checkExposure()
        case .inspect:
            if media.isEmpty { throw OptionsError("inspect wants at least one FILE or URL") }
        case .render:
            if media.isEmpty { throw OptionsError("render wants at least one FILE or URL") }
            if render.output == nil { throw OptionsError("render wants --output FILE.wav, or --output - for standard output") }
        case .help, .version: break
        }
    }

    private mutating func checkExposure() throws(OptionsError) {
        if noAuth, tokenFile != nil { throw OptionsError("--no-auth and --token-file contradict each other") }
        guard noAuth else { return }
        if !listen.isLoopback {
            warnings.append("everyone who can reach \(listen) controls the player: --no-auth is given and the address is not a loopback one")
        } else if allowsForeignNames {
            warnings.append(
                "everyone who can reach this server as \(outside.joined(separator: " or ")) controls the player: --no-auth is given and names outside are "
                    + "allowed")
        }
    }
}

/// What was given and where, before it is understood.
private struct Given {
    let command: Options.Command
    let table: [Setting]
    /// For each setting's name its values with the words that name their source in a message.
    var values: [String: [(value: String, source: String)]] = [:]
    var media: [String] = []
    /// A command that an option stands for, at any place.
    var instead: Options.Command?

    init(command: Options.Command, table: [Setting]) {
        self.command = command
        self.table = table
    }

    mutating func read(_ arguments: ArraySlice<String>) throws(OptionsError) {
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                media.append(argument)
                continue
            }
            switch argument {
            case "--":
                media += rest
                return
            case "--help", "-h": instead = .help(command)
            case "--version", "-V": instead = instead ?? .version
            default: try readSetting(argument, &rest)
            }
        }
    }

    private mutating func readSetting(_ argument: String, _ rest: inout ArraySlice<String>) throws(OptionsError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        guard let setting = table.first(where: { $0.option == name || $0.letter == name }) else {
            throw OptionsError("there is no option \(name)\(suggestion(for: name, among: table.map(\.option) + ["--help", "--version"]))")
        }
        let value: String
        if setting.placeholder == nil {
            guard parts.count == 1 else { throw OptionsError("\(name) takes no value") }
            value = "yes"
        } else if parts.count == 2 {
            value = parts[1]
        } else if let next = rest.first, !Self.looksLikeOption(next) {
            value = rest.removeFirst()
        } else {
            throw OptionsError("\(name) wants a value: \(name) \(setting.placeholder ?? "")")
        }
        values[setting.name, default: []].append((value, name))
    }

    /// A dash alone is standard output, and one before a digit a sign.
    private static func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber) && second != "."
    }

    /// Adds the environment's settings where the command line has none. Returns a warning for each variable that looks like a setting and is none.
    mutating func fill(from environment: [String: String]) -> [String] {
        for setting in table where values[setting.name] == nil {
            guard let text = environment[setting.variable], !text.isEmpty else { continue }
            let parts = setting.separator.map { text.split(separator: $0).map(String.init) } ?? [text]
            values[setting.name] = parts.map { ($0, setting.variable) }
        }
        let known = table.map(\.variable)
        return environment.keys.filter { $0.hasPrefix(Setting.prefix) && !known.contains($0) }.sorted().map {
            "the environment variable \($0) is not a setting\(suggestion(for: $0, among: known))"
        }
    }
}
