/// The completion scripts, made from the tables of commands and options.
enum CompletionScript {
    static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        }
    }

    private static var commands: [(word: String, help: String)] {
        CommandHelp.all.map { ($0.word, $0.brief) } + [("help", "show the options of a command")]
    }
    private static let commonOptions = CommandHelp.common.map(\.spelling)

    /// The options of a command, with their short forms.
    private static func options(_ command: Options.Command) -> [String] {
        Setting.table(of: command).flatMap { [$0.option] + ($0.letter.map { [$0] } ?? []) } + commonOptions
    }

    // MARK: bash

    private static var bash: String {
        let cases = CommandHelp.all.map { help in
            let values = Setting.table(of: help.command).filter { $0.placeholder != nil }.map { setting in
                "        \(([setting.option] + (setting.letter.map { [$0] } ?? [])).joined(separator: "|"))) \(bashReply(setting.completion)); return ;;\n"
            }
            return """
                    \(help.word))
                        case $previous in
                \(values.joined())        esac
                        if [[ $current == -* ]]; then \(bashReply(.words(options(help.command)))); return; fi
                        \(help.command == .remote ? bashActions : bashReply(help.arguments))
                        ;;

                """
        }
        return """
            # Completion of tonearm for bash, made by "tonearm completion bash".
            _tonearm() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word action='' index
                COMPREPLY=()
                # bash splits --option=value into three words.
                if [[ $current == = ]]; then
                    current=''
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                if ((COMP_CWORD == 1)); then
                    \(bashReply(.words(commands.map(\.word) + commonOptions)))
                    return
                fi
                for ((index = 2; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    if [[ $word != -* && -z $action ]]; then action=$word; fi
                done
                case ${COMP_WORDS[1]} in
            \(cases.joined())    help)
                    \(bashReply(.words(CommandHelp.all.map(\.word))))
                    ;;
                esac
            }
            complete -F _tonearm tonearm

            """
    }

    /// The completion of `tonearm remote` and its arguments.
    private static var bashActions: String {
        let arguments = RemoteAction.all.filter { $0.completion != .nothing }.map { "        \($0.name)) \(bashReply($0.completion)) ;;\n" }
        return """
            case $action in
                    '') \(bashReply(.words(RemoteAction.all.map(\.name)))) ;;
            \(arguments.joined())        esac
            """
    }

    private static func bashReply(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ":"
        case .files: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .folders: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .words(let words): "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\")"
        }
    }

    // MARK: zsh

    private static var zsh: String {
        let cases = CommandHelp.all.map { help in
            let settings = Setting.table(of: help.command).flatMap(zshOptions) + CommandHelp.common.map { zshQuoted("\($0.spelling)[\($0.help)]") }
            let arguments =
                help.command == .remote
                ? ["'1:command:_tonearm_actions'", "'*::argument:_tonearm_arguments'"] : [zshQuoted("*:argument:\(zshAction(help.arguments))")]
            return
                "        \(help.word))\n            _arguments \((settings + arguments).joined(separator: " \\\n                "))\n            ;;\n"
        }
        let arguments = RemoteAction.all.compactMap { action -> String? in
            switch action.completion {
            case .nothing: nil
            case .files: "        \(action.name)) _files ;;\n"
            case .folders: "        \(action.name)) _files -/ ;;\n"
            case .words(let words): "        \(action.name)) compadd -- \(words.joined(separator: " ")) ;;\n"
            }
        }
        return """
            #compdef tonearm
            # Completion of tonearm for zsh, made by "tonearm completion zsh".
            _tonearm_actions() {
                local -a actions
                actions=(
            \(RemoteAction.all.map { "        \(zshQuoted("\($0.name):\($0.help)"))\n" }.joined())    )
                _describe -t commands command actions
            }
            _tonearm_arguments() {
                case $words[1] in
            \(arguments.joined())    esac
            }
            _tonearm() {
                local -a commands
                commands=(
            \(commands.map { "        \(zshQuoted("\($0.word):\($0.help)"))\n" }.joined())    )
                if ((CURRENT == 2)); then
                    _describe -t commands command commands
                    return
                fi
                local command=$words[2]
                shift words
                ((CURRENT--))
                case $command in
            \(cases.joined())        help) compadd -- \(CommandHelp.all.map(\.word).joined(separator: " ")) ;;
                esac
            }
            if [ "$funcstack[1]" = _tonearm ]; then _tonearm "$@"; else compdef _tonearm tonearm; fi

            """
    }

    private static func zshOptions(_ setting: Setting) -> [String] {
        let help = setting.help.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
        let value = setting.placeholder.map { "=:\($0.replacing(":", with: "\\:")):\(zshAction(setting.completion))" } ?? ""
        let short = setting.letter.map { ["\($0)[\(help)]\(value.isEmpty ? "" : String(value.dropFirst()))"] } ?? []
        let option = value.isEmpty ? "\(setting.option)[\(help)]" : "\(setting.option)=[\(help)]\(value.dropFirst())"
        return ([option] + short).map { zshQuoted("*" + $0) }
    }

    private static func zshAction(_ completion: Completion) -> String {
        switch completion {
        case .nothing: " "
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func zshQuoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

/// What a shell offers as a value or argument.
enum Completion: Sendable, Hashable {
    case nothing, files, folders
    case words([String])
}

/// A shell for which the program can print a completion script.
enum Shell: String, Sendable, Hashable, CaseIterable {
    case bash, zsh
}
