extension Options {
    /// For `--version`, the manual page and the API.
    static let version = "0.1.0"

    /// `tonearm --help`, or `tonearm help COMMAND`.
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

    /// Without `[OPTION]…`.
    private static func shortUsage(_ help: CommandHelp) -> String { help.usage.replacing(" [OPTION]…", with: "") }
}
