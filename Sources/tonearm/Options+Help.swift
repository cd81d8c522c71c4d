extension Options {
    /// The version of this release of Tonearm, which `--version`, the log and the API report.
    static let version = "0.1.0"

    /// Returns the text that `tonearm --help` prints. For a command, returns the text of `tonearm help COMMAND`, which equals that of `tonearm
    /// COMMAND --help`.
    static func help(_ command: Command?) -> String {
        switch command {
        case .serve:
            """
            Plays audio and is controlled over HTTP.

            Usage: tonearm serve [FILE|URL…] [OPTION]…

            The given files and URLs play immediately, one after the other. Clients may then use these files, but not other files of their folders.

            \(list(Setting.serve))

            Each option may also come from the environment: --log-level debug is TONEARM_LOG_LEVEL=debug; folders in TONEARM_MEDIA_ROOT are separated
            by colons, names in TONEARM_ALLOW_HOST and TONEARM_ALLOW_ORIGIN by commas. The command line wins.

            Clients must send the token if other machines can reach the server: by a network address, or by a name that is not local (--allow-host,
            --allow-origin), for example through a proxy. The program prints the token, or, under systemd, the name of the file that contains it.

            Exit status: 0 after SIGTERM or SIGINT, 1 after a failure, 2 if the command line is invalid.

            """
        case .render:
            """
            Writes the audio that the player would send to a device into a WAV file, faster than real time.

            Usage: tonearm render FILE|URL… --output FILE.wav|- [OPTION]…

            Several inputs are joined without a gap, in the format of the first, as in the player's queue.

            \(list(Setting.render))

            A time is seconds (90.5), hours, minutes and seconds (1:30.5, 0:01:30.5), or an exact fraction of a second (220500/44100). The duration
            is that of the output. Samples are rounded to the nearest value, without dithering, so that samples of 16 and 24 bits do not change.
            The file gets its name after it is complete; beyond 4 GB it is RF64. Standard output receives a WAV stream of unknown length.

            Exit status: 0 if the output was written, 1 after a failure, 2 if the command line is invalid.

            """
        case .inspect:
            """
            Prints the properties of media: format, duration, encoder delay and padding, tags, chapters, artwork.

            Usage: tonearm inspect FILE|URL… [OPTION]…

            \(list(Setting.inspect))

            A local file is scanned if an exact duration requires it; a URL is scanned only with --precise.

            Exit status: 0 if all inputs could be opened, 1 if one could not, 2 if the command line is invalid.

            """
        case nil, .help, .version:
            """
            Tonearm plays audio and is controlled over HTTP.

            Usage: tonearm serve [FILE|URL…] [OPTION]…              play media, and serve the remote
                   tonearm render FILE|URL… --output FILE.wav|-     write the audio into a file
                   tonearm inspect FILE|URL…                        print the properties of media
                   tonearm help COMMAND                             show the options of a command

              --help     this text, or the help of the command
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
