import MicroHTTP
import Platform
import PlaybackEngine

/// One setting of a command: its option, its environment variable, its line of help, and what it does. The command's table is all there is.
struct Setting: Sendable {
    /// Why a value is no good, as the words between the setting's name and the value: "wants …".
    struct Invalid: Error {
        var reason: String
    }

    /// Without dashes: `media-root`.
    let name: String
    /// A short spelling, with its dash: `-o`.
    let letter: String?
    /// What stands for the value in the help; nil where the option takes none.
    let placeholder: String?
    /// What separates the elements of a list in the environment variable; nil where there is but one value.
    let separator: Character?
    let help: String
    let apply: @Sendable (inout Options, String) throws(Invalid) -> Void

    init(
        _ name: String, letter: String? = nil, _ placeholder: String? = nil, separator: Character? = nil, help: String,
        apply: @escaping @Sendable (inout Options, String) throws(Invalid) -> Void
    ) {
        self.name = name
        self.letter = letter
        self.placeholder = placeholder
        self.separator = separator
        self.help = help
        self.apply = apply
    }

    static let prefix = "TONEARM_"
    var option: String { "--" + name }
    /// As the help spells it.
    var spelling: String { (letter.map { $0 + ", " } ?? "") + option + (placeholder.map { " " + $0 } ?? "") }
    /// `TONEARM_MEDIA_ROOT` for `media-root`.
    var variable: String { Self.prefix + name.uppercased().split(separator: "-").joined(separator: "_") }
}

extension Setting {
    /// The settings of a command, in the order of the help.
    static func table(of command: Options.Command) -> [Setting] {
        switch command {
        case .serve: serve
        case .render: render
        case .inspect: inspect
        case .help, .version: []
        }
    }

    /// Those of `serve`, each of which can come from the environment too.
    static let serve: [Setting] = [
        Setting("listen", "ADDRESS:PORT", help: "where the remote is served (default \(ListenAddress.standard); port 0 takes a free one)") {
            options, value throws(Invalid) in
            guard let address = try? ListenAddress(value) else {
                throw Invalid(reason: "wants an address and a port, such as 127.0.0.1:7711, [::1]:7711 or 0.0.0.0:7711")
            }
            options.listen = address
        },
        Setting("media-root", "DIR", separator: ":", help: "a folder whose media may be played and browsed; may be repeated") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "wants a folder") }
            options.mediaRoots.append(value)
        },
        Setting(
            "output", "OUTPUT",
            help: "auto (PulseAudio, or silence until it answers), \(Options.Output.names.dropFirst().joined(separator: ", ")), or file:PATH.wav"
        ) { options, value throws(Invalid) in
            guard let output = Options.Output(word: value) else {
                throw Invalid(reason: "wants \(Options.Output.names.joined(separator: ", ")) or file:PATH.wav")
            }
            options.output = output
        },
        Setting("web", "DIR", help: "serve this folder in place of the embedded page") { options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "wants a folder") }
            options.web = value
        },
        Setting("token-file", "FILE", help: "where the token is kept that clients must show; asks for it on a loopback address, too") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "wants a file") }
            options.tokenFile = value
        },
        Setting("no-auth", help: "ask for no token: let everyone who can reach the address control the player") { options, value throws(Invalid) in
            options.noAuth = try yesOrNo(value)
        },
        Setting("allow-private-urls", help: "let clients of other machines play URLs of private networks, such as a radio in the house") {
            options, value throws(Invalid) in
            options.allowsPrivateURLs = try yesOrNo(value)
        },
        Setting(
            "allow-host", "NAME", separator: ",",
            help: "a host name by which clients may call this server (asks for the token, as for a proxy); may be repeated"
        ) {
            options, value throws(Invalid) in
            let allowed = value.utf8.allSatisfy { byte in
                byte.isASCIILetter || byte.isASCIIDigit || "-._".utf8.contains(byte)
            }
            guard !value.isEmpty, allowed else { throw Invalid(reason: "wants a host name without scheme and port, such as music.local") }
            options.allowedHosts.append(value.lowercased())
        },
        Setting(
            "allow-origin", "ORIGIN", separator: ",",
            help: "an origin whose pages may call the API, such as https://home.example (asks for the token); may be repeated"
        ) { options, value throws(Invalid) in
            guard let origin = canonicalOrigin(value) else {
                throw Invalid(reason: "wants a scheme and a host without a path, such as https://home.example or http://10.0.0.2:8123")
            }
            options.allowedOrigins.append(origin)
        },
        loudness,
        crossfade,
        Setting("maximum-wait", "SECONDS", help: "how long a request may wait at most, whatever it asks for: 0 to 60 (default)") {
            options, value throws(Invalid) in
            guard let seconds = Double(value), (0...60).contains(seconds) else { throw Invalid(reason: "wants seconds from 0 to 60") }
            options.maximumWait = seconds
        },
        Setting("log-level", "LEVEL", help: "error, warning, info (default) or debug") { options, value throws(Invalid) in
            guard let level = Log.Level(rawValue: value) else { throw Invalid(reason: "wants error, warning, info or debug") }
            options.logLevel = level
        },
    ]

    private static func yesOrNo(_ value: String) throws(Invalid) -> Bool {
        switch value.lowercased() {
        case "1", "yes", "true", "on": true
        case "0", "no", "false", "off": false
        default: throw Invalid(reason: "wants yes or no")
        }
    }

    /// Of `serve` and `render`.
    static let loudness = Setting("loudness", "MODE", help: "off (default), or track or album: equally loud by ReplayGain or R128 tags") {
        options, value throws(Invalid) in
        guard let mode = LoudnessMode(rawValue: value) else { throw Invalid(reason: "wants off, track or album") }
        options.loudness = mode
    }

    /// Of `serve` and `render`.
    static let crossfade = Setting(
        "crossfade", "SECONDS", help: "how long two items overlap where one follows the other, 0 (default, gapless) to \(longestCrossfade)"
    ) { options, value throws(Invalid) in
        guard let seconds = Double(value), CrossfadeDuration.range.contains(seconds) else {
            throw Invalid(reason: "wants seconds from 0 to \(longestCrossfade)")
        }
        options.crossfade = seconds
    }

    private static let longestCrossfade = Int(CrossfadeDuration.range.upperBound)

    /// An origin as browsers send it: lower case, no trailing slash. Nil where it is none (RFC 6454, section 6.2).
    private static func canonicalOrigin(_ text: String) -> String? {
        let lowered = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else { return nil }
        var host = lowered.dropFirst(scheme.count)
        if host.hasSuffix("/") { host.removeLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !host.contains(where: { "/?#@\\\"".contains($0) }) else { return nil }
        return scheme + host
    }
}

/// "; did you mean …?" where one of the names is near to what was written, else nothing.
func suggestion(for word: String, among names: [String]) -> String {
    let nearest = names.map { (name: $0, distance: editDistance(word.lowercased(), $0.lowercased())) }.min { $0.distance < $1.distance }
    // Further off than a third of what was written, a guess would be noise.
    guard let nearest, nearest.distance <= max(2, word.count / 3) else { return "" }
    return "; did you mean \(nearest.name)?"
}

/// Levenshtein's distance: how many letters must be inserted, removed or replaced to make one word of the other.
func editDistance(_ from: String, _ to: String) -> Int {
    let target = Array(to)
    var row = Array(0...target.count)
    for (i, letter) in from.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in target.enumerated() {
            let replaced = diagonal + (letter == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
        }
    }
    return row[target.count]
}
