import Testing

@testable import tonearm

@Suite("Completion scripts and the manual page")
struct HelpTests {
    /// Returns a text as it stands in the manual page (roff), which escapes each dash.
    private func roff(_ text: String) -> String { text.replacing("-", with: "\\-") }

    @Test("each script completes every command and every option", arguments: Shell.allCases)
    func completion(shell: Shell) {
        let script = CompletionScript.text(for: shell)
        for help in CommandHelp.all {
            #expect(script.contains(help.word))
            for setting in Setting.table(of: help.command) {
                #expect(script.contains(setting.option), "\(setting.option)")
            }
        }
        for action in RemoteAction.all { #expect(script.contains(action.name)) }
    }

    @Test("each script completes folders for --state-dir, the two actions of --resume, and --remember-positions without a value")
    func stateOptions() {
        let bash = CompletionScript.text(for: .bash), zsh = CompletionScript.text(for: .zsh)
        #expect(bash.contains("--state-dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d "))
        #expect(bash.contains("--resume) mapfile -t COMPREPLY < <(compgen -W 'pause play'"))
        #expect(bash.contains(" --remember-positions ") && !bash.contains("--remember-positions)"))
        #expect(zsh.split(separator: "\n").contains { $0.contains("--state-dir=[") && $0.contains(":DIR:_files -/'") })
        #expect(zsh.split(separator: "\n").contains { $0.contains("--resume=[") && $0.contains(":ACTION:(pause play)'") })
        #expect(zsh.contains("'*--remember-positions["))
    }

    @Test("the manual page has every command, option and environment variable")
    func manual() {
        let page = ManualPage.text
        for help in CommandHelp.all {
            #expect(page.contains("TONEARM \(help.word.uppercased())"))
            for setting in Setting.table(of: help.command) { #expect(page.contains(roff(setting.option)), "\(setting.option)") }
            for setting in Setting.environment(of: help.command) { #expect(page.contains("\n.B \(setting.variable)\n")) }
        }
        for action in RemoteAction.all { #expect(page.contains("\n.B \(action.name)")) }
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("every command has a help, and each line fits a screen")
    func help() {
        for (word, command) in Options.Command.named {
            let help = Options.help(command)
            #expect(help.contains("Usage: tonearm \(word)"))
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 150 })
        }
        for action in RemoteAction.all { #expect(Options.help(.remote).contains("\n  \(action.spelling) ")) }
    }

    @Test("completion needs the name of a shell, and man nothing")
    func arguments() throws {
        #expect(try Options.parse(arguments: ["completion", "zsh"]).shell == .zsh)
        #expect(throws: OptionsError.self) { try Options.parse(arguments: ["completion"]) }
        #expect(throws: OptionsError.self) { try Options.parse(arguments: ["completion", "csh"]) }
        #expect(throws: OptionsError.self) { try Options.parse(arguments: ["man", "serve"]) }
    }
}
