extension Options {
    /// The version of this release, as `--version`, the log and the API tell it.
    static let version = "0.1.0"

    /// What `tonearm --help` prints.
    static var help: String {
        let spelled =
            Setting.all.map { ($0.option + ($0.placeholder.map { " " + $0 } ?? ""), $0.help) } + [
                ("--help", "this text"), ("--version", "the version"),
            ]
        let width = spelled.map(\.0.count).max() ?? 0
        let lines = spelled.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
        return """
            Tonearm plays sound and is controlled over HTTP.

            Usage: tonearm serve [FILE|URL] [OPTION]…

            A FILE or URL begins to play at once; naming a file permits that file alone, not its folder. More than one are permitted, and the
            first begins.

            \(lines.joined(separator: "\n"))

            Each option may also come from the environment: --log-level debug is TONEARM_LOG_LEVEL=debug; folders in TONEARM_MEDIA_ROOT are separated
            by colons, names in TONEARM_ALLOW_HOST and TONEARM_ALLOW_ORIGIN by commas. The command line wins.

            Exit status: 0 after SIGTERM or SIGINT, 1 when something failed, 2 when the command line is wrong.

            """
    }
}
