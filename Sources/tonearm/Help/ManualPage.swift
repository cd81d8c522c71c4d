/// tonearm(1), in the macros of man(7), from the tables of commands and options.
enum ManualPage {
    static var text: String {
        var lines = [
            ".TH TONEARM 1 \"\" \"tonearm \(Options.version)\" \"User Commands\"",
            ".SH NAME", "tonearm \\- play audio, controlled over HTTP", ".SH SYNOPSIS",
        ]
        for help in CommandHelp.all {
            lines.append(".B \(escaped("tonearm \(help.word)"))")
            if !help.usage.isEmpty { lines.append(escaped(help.usage)) }
            lines.append(".br")
        }
        lines.removeLast()
        lines += [".SH DESCRIPTION"]
        lines += [escaped("A daemon plays audio and is controlled by a page in the browser, by HTTP and WebSocket, and by this program.")]
        for help in CommandHelp.all { lines += section(help) }
        lines += [".SH ENVIRONMENT"]
        for (command, word) in [(Options.Command.serve, "serve"), (.remote, "remote")] {
            for setting in Setting.environment(of: command) {
                lines += [".TP", ".B \(escaped(setting.variable))", escaped("\(setting.option) of tonearm \(word)")]
            }
        }
        lines += [".SH FILES"]
        for (path, text) in files { lines += [".TP", ".I \(escaped(path))", escaped(text)] }
        lines += [".SH \"SEE ALSO\"", ".BR curl (1),", ".BR pactl (1)"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let files = [
        ("$XDG_STATE_HOME/tonearm/token", "The token that clients must send; ~/.local/state/tonearm/token without the variable."),
        (
            "$XDG_RUNTIME_DIR/tonearm/*.json",
            "A file for each running daemon, by which \"tonearm remote\" finds it; ~/.local/state/tonearm/run without the variable."
        ),
    ]

    private static func section(_ help: CommandHelp) -> [String] {
        var lines = [".SH \"TONEARM \(help.word.uppercased())\"", escaped(help.summary)]
        if help.command == .remote {
            for action in RemoteAction.all { lines += [".TP", ".B \(escaped(action.spelling))", escaped(action.help)] }
        } else {
            for text in help.introduction { lines += paragraph(text) }
        }
        if !Setting.table(of: help.command).isEmpty { lines.append(".SS Options") }
        for setting in Setting.table(of: help.command) { lines += [".TP", ".B \(escaped(setting.spelling))", escaped(setting.help)] }
        for text in help.notes { lines += paragraph(text) }
        return lines + paragraph("Exit status: \(help.exitStatus)")
    }

    private static func paragraph(_ text: String) -> [String] { [".PP"] + text.split(separator: "\n").map { escaped(String($0)) } }

    /// The text with the special characters of roff escaped. Characters beyond ASCII become escapes too, so that no encoding is needed.
    private static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": line += "\\e"
            case "-": line += "\\-"
            case "~": line += "\\(ti"
            case "\"": line += "\\(dq"
            case _ where scalar.isASCII: line.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                line += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        // A point or an apostrophe at the beginning of a line would start a command of roff.
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
