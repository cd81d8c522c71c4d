extension Options {
    /// The version of this release, as `--version`, the log and the API tell it.
    static let version = "0.1.0"

    /// What `tonearm --help` prints, or where a command is given `tonearm help COMMAND` and `tonearm COMMAND --help`.
    static func help(_ command: Command?) -> String {
        switch command {
        case .serve:
            """
            Plays sound and is controlled over HTTP.

            Usage: tonearm serve [FILE|URL…] [OPTION]…

            A FILE or URL begins to play at once, and several play one after the other; naming a file permits that file alone, not its folder.

            \(list(Setting.serve))

            Each option may also come from the environment: --log-level debug is TONEARM_LOG_LEVEL=debug; folders in TONEARM_MEDIA_ROOT are separated
            by colons, names in TONEARM_ALLOW_HOST and TONEARM_ALLOW_ORIGIN by commas. The command line wins.

            Clients must show the token where others than this machine can come: by an address of the network, or by a name outside this machine
            (--allow-host, --allow-origin), as through a proxy. The program prints it, or under systemd names the file that keeps it.

            Exit status: 0 after SIGTERM or SIGINT, 1 when something failed, 2 when the command line is wrong.

            """
        case .render:
            """
            Renders what the player would send to a device into a WAV file, faster than it plays.

            Usage: tonearm render FILE|URL… --output FILE.wav|- [OPTION]…

            Several inputs are joined as the player's queue joins them: without a gap, in the format of the first.

            \(list(Setting.render))

            A time is seconds (90.5), hours, minutes and seconds (1:30.5, 0:01:30.5), or an exact fraction of a second (220500/44100). The duration
            is that of what comes out. Samples are rounded to the nearest value, without dither, so that 16 and 24 bits come out as they went in.
            A file appears under its name when it is complete; beyond 4 GB it is RF64. Standard output gets a WAV stream of unknown length.

            Exit status: 0 when all is written, 1 when something failed, 2 when the command line is wrong.

            """
        case .inspect:
            """
            Tells what is known of media: format, duration, encoder delay and padding, tags, chapters, artwork.

            Usage: tonearm inspect FILE|URL… [OPTION]…

            \(list(Setting.inspect))

            A local file is scanned where that is what an exact duration takes; a URL only with --precise.

            Exit status: 0 when all could be opened, 1 when one could not, 2 when the command line is wrong.

            """
        case nil, .help, .version:
            """
            Tonearm plays sound and is controlled over HTTP.

            Usage: tonearm serve [FILE|URL…] [OPTION]…              play, and serve the remote
                   tonearm render FILE|URL… --output FILE.wav|-     render into a file what would be heard
                   tonearm inspect FILE|URL…                        tell what is known of media
                   tonearm help COMMAND                             the options of a command

              --help     this text; behind a command, its own
              --version  the version

            """
        }
    }

    private static func list(_ settings: [Setting]) -> String {
        let spelled = settings.map { ($0.spelling, $0.help) } + [("--help", "this text"), ("--version", "the version")]
        let width = spelled.map(\.0.count).max() ?? 0
        return spelled.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }.joined(separator: "\n")
    }
}
