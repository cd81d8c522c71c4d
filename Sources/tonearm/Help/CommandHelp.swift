/// The texts about one command, for its help and the manual page.
struct CommandHelp: Sendable {
    let command: Options.Command
    /// One line for the list of commands.
    let brief: String
    /// One sentence.
    let summary: String
    /// The words after the command's word.
    let usage: String
    /// Paragraphs before the list of options.
    var introduction: [String] = []
    /// Paragraphs after the list of options.
    var notes: [String] = []
    /// The text after "Exit status: ".
    let exitStatus: String
    var arguments = Completion.nothing

    var word: String { Options.Command.named.first { $0.value == command }?.key ?? "" }
    /// The options of every command.
    static let common = [(spelling: "--help", help: "this text"), (spelling: "--version", help: "the version")]

    static func of(_ command: Options.Command) -> CommandHelp? { all.first { $0.command == command } }

    /// The commands with a word, in the order of the help.
    static let all: [CommandHelp] = [
        CommandHelp(
            command: .serve, brief: "play media, and serve the remote", summary: "Plays audio and is controlled over HTTP.",
            usage: "[FILE|URL…] [OPTION]…",
            introduction: [
                "The given files and URLs play immediately, one after the other. Clients may then use these files, but not other files of their folders."
            ],
            notes: [
                """
                Each option may also come from the environment: --log-level debug is TONEARM_LOG_LEVEL=debug; folders in TONEARM_MEDIA_ROOT are separated
                by colons, names in TONEARM_ALLOW_HOST and TONEARM_ALLOW_ORIGIN by commas. The command line wins.
                """,
                """
                Clients must send the token if other machines can reach the server: by a network address, or by a name that is not local (--allow-host,
                --allow-origin), for example through a proxy. The program prints the token, or, under systemd, the name of the file that contains it.
                """,
            ],
            exitStatus: "0 after SIGTERM or SIGINT, 1 after a failure, 2 if the command line is invalid.", arguments: .files),
        CommandHelp(
            command: .remote, brief: "control a running daemon", summary: "Controls a running daemon.", usage: "[COMMAND [ARGUMENT]…] [OPTION]…",
            introduction: ["Commands:\n\n" + list(RemoteAction.all.map { ($0.spelling, $0.help) })],
            notes: [
                """
                Without --address the command drives the daemon of the same user that started last; "tonearm remote servers" shows all of them. The token
                of such a daemon is found too. TONEARM_ADDRESS and TONEARM_TOKEN_FILE replace the options.
                """,
                """
                --follow prints changes until it is stopped: on a terminal one live line with position, title and reason, otherwise a line for each
                change. With --json it prints each event of the contract as one line. If the connection is lost, it says so on standard error, and
                connects again after 0.5 to 15 seconds, also to a daemon that was restarted.
                """,
            ],
            exitStatus: "0 if the command was carried out, 1 if the daemon refused it, 2 if the command line is invalid, 3 if no daemon responds."),
        CommandHelp(
            command: .render, brief: "write the audio into a file",
            summary: "Writes the audio that the player would send to a device into a WAV file, faster than real time.",
            usage: "FILE|URL… --output FILE.wav|- [OPTION]…",
            introduction: ["Several inputs are joined without a gap, in the format of the first, as in the player's queue."],
            notes: [
                """
                A time is seconds (90.5), hours, minutes and seconds (1:30.5, 0:01:30.5), or an exact fraction of a second (220500/44100). The duration
                is that of the output. Samples are rounded to the nearest value, without dithering, so that samples of 16 and 24 bits do not change.
                The file gets its name after it is complete; beyond 4 GB it is RF64. Standard output receives a WAV stream of unknown length.
                """
            ],
            exitStatus: "0 if the output was written, 1 after a failure, 2 if the command line is invalid.", arguments: .files),
        CommandHelp(
            command: .inspect, brief: "print the properties of media",
            summary: "Prints the properties of media: format, duration, encoder delay and padding, tags, chapters, artwork.",
            usage: "FILE|URL… [OPTION]…",
            notes: ["A local file is scanned if an exact duration requires it; a URL is scanned only with --precise."],
            exitStatus: "0 if all inputs could be opened, 1 if one could not, 2 if the command line is invalid.", arguments: .files),
        CommandHelp(
            command: .completion, brief: "print the completion script of a shell",
            summary: "Prints a script with which a shell completes this command line.",
            usage: "bash|zsh",
            introduction: [
                """
                bash: tonearm completion bash >~/.local/share/bash-completion/completions/tonearm
                zsh:  tonearm completion zsh >DIR/_tonearm, with a folder DIR of $fpath
                fish: fish_update_completions, after the manual page was installed
                """
            ],
            exitStatus: "0, or 2 if the command line is invalid.", arguments: .words(Shell.allCases.map(\.rawValue))),
        CommandHelp(
            command: .man, brief: "print the manual page",
            summary: "Prints the manual page of all commands, for man(1): tonearm man | man --local-file -",
            usage: "", exitStatus: "0, or 2 if the command line is invalid."),
    ]

    /// A list in two columns.
    static func list(_ entries: [(spelling: String, help: String)]) -> String {
        let width = entries.map(\.spelling.count).max() ?? 0
        return entries.map { "  \($0.spelling)\(String(repeating: " ", count: width - $0.spelling.count))  \($0.help)" }.joined(separator: "\n")
    }
}

extension Options {
    /// The version for `--version`, the manual page and the API.
    static let version = "0.1.0"

    /// The text of `tonearm --help`, or `tonearm help COMMAND`.
    static func help(_ command: Command?) -> String {
        guard let help = command.flatMap(CommandHelp.of) else { return overview }
        let settings = Setting.table(of: help.command).map { (spelling: $0.spelling, help: $0.help) }
        let usage = "Usage: tonearm \(help.word) \(help.usage)"
        let paragraphs =
            [help.summary, help.usage.isEmpty ? "Usage: tonearm \(help.word)" : usage] + help.introduction
            + [CommandHelp.list(settings + CommandHelp.common)] + help.notes + ["Exit status: \(help.exitStatus)"]
        return paragraphs.joined(separator: "\n\n") + "\n\n"
    }

    private static var overview: String {
        let usages =
            CommandHelp.all.map { (spelling: "tonearm \($0.word) \(shortUsage($0))", help: $0.brief) } + [
                (spelling: "tonearm help COMMAND", help: "show the options of a command")
            ]
        let lines = CommandHelp.list(usages).split(separator: "\n").enumerated().map { ($0 == 0 ? "Usage:" : "      ") + $1.dropFirst() }
        return """
            Tonearm plays audio and is controlled over HTTP.

            \(lines.joined(separator: "\n"))

              --help     this text, or the help of the command
              --version  the version

            """
    }

    /// The usage without `[OPTION]…`.
    private static func shortUsage(_ help: CommandHelp) -> String { help.usage.replacing(" [OPTION]…", with: "") }
}
