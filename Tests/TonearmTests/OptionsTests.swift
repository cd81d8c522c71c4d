import Foundation
import HTTPServer
import PlaybackEngine
import Testing

@testable import tonearm

@Suite("Command line and environment")
struct OptionsTests {
    private func parse(_ arguments: String..., environment: [String: String] = [:]) throws -> Options {
        try Options.parse(arguments: arguments, environment: environment)
    }
    /// Returns the error message for these arguments; nil if they are valid.
    private func complaint(_ arguments: String..., environment: [String: String] = [:]) -> String? {
        do throws(OptionsError) {
            _ = try Options.parse(arguments: arguments, environment: environment)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("serve without options listens on the loopback address, plays nothing and permits nothing")
    func defaults() throws {
        let options = try parse("serve")
        #expect(options == Options())
        #expect(options.listen.description == "127.0.0.1:7711")
        #expect(options.listen.isLoopback)
        #expect(options.mediaRoots.isEmpty && options.media.isEmpty && !options.noAuth && options.output == .auto)
    }

    @Test("a value follows its option as the next word or after an equals sign")
    func bothSpellings() throws {
        let separate = try parse(
            "serve", "--listen", "127.0.0.1:80", "--media-root", "/a=b", "--output", "file:x=y.wav", "--web", "w", "--log-level", "debug")
        let joined = try parse("serve", "--listen=127.0.0.1:80", "--media-root=/a=b", "--output=file:x=y.wav", "--web=w", "--log-level=debug")
        #expect(separate == joined)
        #expect(joined.mediaRoots == ["/a=b"])
        #expect(joined.output == .file(path: "x=y.wav"))
        #expect(joined.web == "w")
        #expect(joined.logLevel == .debug)
        #expect(joined.listen.port == 80)
    }

    @Test("media may precede, separate and follow options")
    func mediaAnywhere() throws {
        let options = try parse("serve", "a.flac", "--no-auth", "b.mp3", "--output", "null", "http://example.org/c")
        #expect(options.media == ["a.flac", "b.mp3", "http://example.org/c"])
        #expect(options.noAuth)
        #expect(!options.allowsPrivateURLs)
        #expect(options.output == .null)
    }

    @Test("after -- every word is an argument")
    func endOfOptions() throws {
        #expect(try parse("serve", "--no-auth", "--", "--listen", "-x").media == ["--listen", "-x"])
    }

    @Test("repeated list options accumulate in order, and single settings keep the last value")
    func repetition() throws {
        let options = try parse(
            "serve", "--media-root", "/a", "--media-root", "/b", "--allow-host", "Music.Local", "--allow-host=nas", "--output", "pulse", "--output",
            "null")
        #expect(options.mediaRoots == ["/a", "/b"])
        #expect(options.allowedHosts == ["music.local", "nas"])
        #expect(options.output == .null)
    }

    @Test("every setting has an environment variable")
    func environment() throws {
        let options = try parse(
            "serve",
            environment: [
                "TONEARM_LISTEN": "[::1]:9000", "TONEARM_MEDIA_ROOT": "/a:/b", "TONEARM_OUTPUT": "pulse", "TONEARM_WEB": "w", "TONEARM_NO_AUTH": "1",
                "TONEARM_LOG_LEVEL": "error", "TONEARM_LOUDNESS": "album", "TONEARM_ALLOW_HOST": "a,b",
                "TONEARM_ALLOW_ORIGIN": "https://a.example,http://b.example:81", "TONEARM_ALLOW_PRIVATE_URLS": "yes", "HOME": "/h", "TONEARM": "x",
            ])
        #expect(options.listen.description == "[::1]:9000")
        #expect(options.mediaRoots == ["/a", "/b"])
        #expect(options.output == .pulse)
        #expect(options.web == "w")
        #expect(options.noAuth)
        #expect(options.logLevel == .error)
        #expect(options.allowsPrivateURLs)
        #expect(options.loudness == .album)
        #expect(options.allowedHosts == ["a", "b"])
        #expect(options.allowedOrigins == ["https://a.example", "http://b.example:81"])
        // The one warning: outside names (`--allow-host`, `--allow-origin`) are allowed without a token.
        #expect(options.warnings.count == 1)
    }

    @Test("the command line overrides the environment, for a list as a whole")
    func precedence() throws {
        let options = try parse(
            "serve", "--media-root", "/c", "--output=null", environment: ["TONEARM_MEDIA_ROOT": "/a:/b", "TONEARM_OUTPUT": "pulse"])
        #expect(options.mediaRoots == ["/c"])
        #expect(options.output == .null)
    }

    @Test("a crossfade is 0 to 12 seconds, for serve and render", arguments: [["serve"], ["render", "a.wav", "-o", "b.wav"]])
    func crossfade(command: [String]) throws {
        #expect(try Options.parse(arguments: command).crossfade == 0)
        #expect(try Options.parse(arguments: command + ["--crossfade", "2.5"]).crossfade == 2.5)
        for wrong in ["-1", "12.1", "nan", "two", ""] {
            #expect(throws: OptionsError.self) { try Options.parse(arguments: command + ["--crossfade", wrong]) }
        }
    }

    @Test("the order of folders has the language of the environment, a given one, or none")
    func sortLanguage() throws {
        #expect(try parse("serve").sortLanguage == nil)
        #expect(try parse("serve", "--sort-language", "de").sortLanguage == "de")
        #expect(try parse("serve", environment: ["TONEARM_SORT_LANGUAGE": "none"]).sortLanguage == "none")
        #expect(try parse("serve", "--sort-language", "de_CH").sortLanguage == "de_CH")
        for wrong in ["german", "d", "de.CH", "sv;"] {
            #expect(complaint("serve", "--sort-language", wrong)?.contains("must be none, or a language") == true)
        }
    }

    @Test("an empty variable is ignored, and no in TONEARM_NO_AUTH means no")
    func emptyVariables() throws {
        let options = try parse("serve", environment: ["TONEARM_LISTEN": "", "TONEARM_MEDIA_ROOT": "", "TONEARM_NO_AUTH": "no"])
        #expect(options == Options())
    }

    @Test("an invalid value from the environment is reported with the variable's name")
    func environmentComplaint() {
        #expect(
            complaint("serve", environment: ["TONEARM_LOG_LEVEL": "loud"]) == "TONEARM_LOG_LEVEL must be error, warning, info or debug, not \"loud\"")
    }

    @Test("an unknown variable with the prefix of the settings causes a warning")
    func unknownVariable() throws {
        let options = try parse("serve", environment: ["TONEARM_LISTN": "x"])
        #expect(options.warnings == ["the environment variable TONEARM_LISTN is not a setting"])
    }

    @Test("an unknown option is reported")
    func unknownOption() {
        #expect(complaint("serve", "--frobnicate") == "--frobnicate is not an option of this command")
    }

    @Test("a missing command, an unknown one, and an option in its place have different messages")
    func commands() throws {
        #expect(complaint() != nil)
        #expect(complaint("srve") == "\"srve\" is not a command; \"tonearm --help\" lists the commands")
        #expect(
            complaint("--listen", "127.0.0.1:1") == "\"--listen\" is not a command; the command must be the first argument: tonearm serve --listen")
        #expect(try parse("--help").command == .help(nil))
        #expect(try parse("help", "render").command == .help(.render))
        #expect(complaint("help", "rendre") == "\"rendre\" is not a command; \"tonearm --help\" lists the commands")
        #expect(try parse("-V").command == .version)
        #expect(try parse("serve", "--listen", "127.0.0.1:1", "--help").command == .help(.serve))
        #expect(try parse("inspect", "-h").command == .help(.inspect))
        #expect(try parse("serve", "--version").command == .version)
    }

    @Test("an option without its value is reported, and does not take the next option as its value")
    func missingValue() {
        #expect(complaint("serve", "--listen") == "--listen needs a value: --listen ADDRESS:PORT")
        #expect(complaint("serve", "--web", "--no-auth") == "--web needs a value: --web DIR")
        #expect(complaint("serve", "--no-auth=1") == "--no-auth must not have a value")
    }

    @Test(
        "invalid addresses are refused",
        arguments: [
            "", "7711", ":7711", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]", "host:80", "[1]:80",
        ]
    )
    func badAddresses(text: String) {
        #expect(complaint("serve", "--no-auth", "--listen=\(text)")?.hasPrefix("--listen must be an address and a port") == true)
    }

    @Test(
        "loopback addresses are recognised in all their forms",
        arguments: [
            ("127.0.0.1:1", true), ("127.9.8.7:1", true), ("localhost:1", true), ("[::1]:1", true), ("[0:0::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false), ("[::]:1", false), ("192.168.1.2:1", false), ("[::ffff:10.0.0.1]:1", false), ("[fe80::1]:1", false),
            ("128.0.0.1:1", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try ListenAddress(text).isLoopback == isLoopback)
    }

    @Test("the page's address can be opened by a browser")
    func urls() throws {
        #expect(try ListenAddress("0.0.0.0:8000").page == "http://127.0.0.1:8000/")
        #expect(try ListenAddress("[::]:8000").page == "http://[::1]:8000/")
        #expect(try ListenAddress("[fd00::5]:8000").page == "http://[fd00::5]:8000/")
        #expect(ListenAddress.standard.page == "http://127.0.0.1:7711/")
        #expect(ListenAddress.standard.page(token: nil) == "http://127.0.0.1:7711/")
        #expect(ListenAddress.standard.page(token: "abc") == "http://127.0.0.1:7711/#token=abc")
        #expect(ListenAddress.standard.pages(on: [InterfaceAddress(host: "192.168.1.5")], token: nil) == [])
    }

    @Test("an address reachable by others requires a token, unless --no-auth is given; other addresses if a token file is given")
    func tokens() throws {
        #expect(try parse("serve", "--listen", "0.0.0.0:7711").needsToken)
        #expect(try parse("serve", "--listen", "[fd00::5]:7711").needsToken)
        #expect(try !parse("serve").needsToken)
        #expect(try !parse("serve", "--listen", "[::1]:7711").needsToken)
        #expect(try !parse("serve", "--listen", "0.0.0.0:7711", "--no-auth").needsToken)
        #expect(try parse("serve", "--token-file", "t").needsToken)
        #expect(try parse("serve", "--token-file", "t").tokenFile == "t")
        #expect(complaint("serve", "--token-file", "t", "--no-auth") == "--no-auth and --token-file cannot be combined")
        #expect(complaint("serve", "--token-file=") == "--token-file must be a file, not \"\"")
    }

    @Test(
        "outside names indicate a proxy, so that a token is required on a loopback address too",
        arguments: [
            ("--allow-host", "music.local", true), ("--allow-host", "nas", true), ("--allow-origin", "https://home.example", true),
            ("--allow-origin", "http://10.0.0.2:8123", true), ("--allow-host", "localhost.example", true),
            ("--allow-host", "127.0.0.1.example", true),
            ("--allow-host", "localhost", false), ("--allow-host", "tonearm.localhost", false), ("--allow-host", "127.0.0.1", false),
            ("--allow-origin", "http://localhost:3000", false), ("--allow-origin", "https://[::1]:3000", false),
            ("--allow-origin", "http://127.0.0.1:3000/", false),
        ])
    func names(option: String, value: String, isOutside: Bool) throws {
        #expect(try parse("serve", option, value).needsToken == isOutside)
        #expect(try parse("serve", option, value).warnings.isEmpty)
        let open = try parse("serve", option, value, "--no-auth")
        #expect(!open.needsToken)
        #expect(open.warnings.count == (isOutside ? 1 : 0))
        #expect(open.warnings.allSatisfy { $0.contains("controls the player") && $0.contains("--no-auth") })
    }

    @Test("an address reachable by others without a token causes a warning")
    func exposure() throws {
        #expect(try parse("serve", "--listen", "0.0.0.0:7711").warnings.isEmpty)
        #expect(try parse("serve", environment: ["TONEARM_LISTEN": "[::]:7711"]).needsToken)
        let options = try parse("serve", "--listen", "0.0.0.0:7711", "--no-auth")
        #expect(options.warnings.count == 1)
        #expect(options.warnings.first?.contains("0.0.0.0:7711") == true)
        #expect(try parse("serve", "--no-auth").warnings.isEmpty)
    }

    @Test(
        "outputs, levels, hosts and origins are validated at once",
        arguments: [
            ("--output", "speaker"), ("--output", "file:"), ("--log-level", "INFO"), ("--loudness", "loud"), ("--allow-host", "http://a"),
            ("--allow-host", "a:80"),
            ("--allow-host", ""),
            ("--allow-origin", "a.example"), ("--allow-origin", "https://"), ("--allow-origin", "https://a/b"), ("--allow-origin", "*"),
            ("--allow-origin", "null"),
            ("--allow-origin", "https://u@a"), ("--media-root", ""), ("--web", ""),
        ])
    func badValues(option: String, value: String) {
        #expect(complaint("serve", option, value)?.hasPrefix("\(option) must be ") == true)
    }

    @Test("the patience with an absent output and the limit of device volumes are numbers in their ranges")
    func outputLimits() throws {
        #expect(try parse("serve").outputPatience == 600 && parse("serve").deviceVolumeLimit == 1.5)
        let options = try parse("serve", "--output-patience", "30", "--device-volume-limit", "0.8")
        #expect(options.outputPatience == 30 && options.deviceVolumeLimit == 0.8)
        #expect(complaint("serve", "--output-patience", "-1")?.contains("from 0 to 86400") == true)
        #expect(complaint("serve", "--device-volume-limit", "2")?.contains("from 0 to 1.5") == true)
    }

    @Test("an origin is stored as browsers write it")
    func origin() throws {
        #expect(try parse("serve", "--allow-origin", "HTTPS://Home.Example/").allowedOrigins == ["https://home.example"])
    }

    @Test("the help of each command has all its settings, and every line fits a screen", arguments: [Options.Command.serve, .render, .inspect])
    func help(command: Options.Command) {
        let help = Options.help(command)
        for setting in Setting.table(of: command) { #expect(help.contains("  \(setting.spelling) ")) }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 150 })
    }

    @Test("the help of the program names every command")
    func overview() {
        for (word, _) in Options.Command.named {
            #expect(Options.help(nil).contains("  tonearm \(word) ") || Options.help(nil).contains(" tonearm \(word) "))
        }
    }

    @Test("the program and the contract have the same version")
    func version() throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let contract = try String(contentsOf: checkout.appending(path: "openapi.yaml"), encoding: .utf8)
        #expect(contract.contains("\n  version: \(Options.version)\n"))
    }
}
