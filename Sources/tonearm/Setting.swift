import FFmpegMedia
import HTTPServer
import Platform
import PlaybackEngine
import RemoteControl

/// One setting of a command: its option, variable, help, and effect on `Options`.
struct Setting: Sendable {
    /// The error of an invalid value. `reason` is "must be …"; the message has the option or variable before it, and ", not" with the value after it.
    struct Invalid: Error {
        var reason: String
    }

    /// The option without dashes, such as `media-root`.
    let name: String
    /// The short form with its dash, such as `-o`.
    let letter: String?
    /// The word for the value in the help; nil if the option has no value.
    let placeholder: String?
    /// The character between the values of a list in the environment variable.
    let separator: Character?
    let completion: Completion
    let help: String
    let apply: @Sendable (inout Options, String) throws(Invalid) -> Void

    init(
        _ name: String, letter: String? = nil, _ placeholder: String? = nil, separator: Character? = nil,
        completion: Completion = .nothing, help: String,
        apply: @escaping @Sendable (inout Options, String) throws(Invalid) -> Void
    ) {
        self.name = name
        self.letter = letter
        self.placeholder = placeholder
        self.separator = separator
        self.completion = completion
        self.help = help
        self.apply = apply
    }

    static let prefix = "TONEARM_"
    var option: String { "--" + name }
    /// The option as in the help.
    var spelling: String { (letter.map { $0 + ", " } ?? "") + option + (placeholder.map { " " + $0 } ?? "") }
    /// The environment variable: `TONEARM_MEDIA_ROOT` for `media-root`.
    var variable: String { Self.prefix + name.uppercased().split(separator: "-").joined(separator: "_") }
}

extension Setting {
    /// The settings in the order of the command's help.
    static func table(of command: Options.Command) -> [Setting] {
        switch command {
        case .serve: serve
        case .render: render
        case .inspect: inspect
        case .remote: remote
        case .completion, .man, .help, .version: []
        }
    }

    /// The settings of a command that have environment variables.
    static func environment(of command: Options.Command) -> [Setting] {
        switch command {
        case .serve: serve
        case .remote: connection
        default: []
        }
    }

    /// The settings of `serve`, which all have environment variables.
    static let serve: [Setting] = [
        Setting("listen", "ADDRESS:PORT", help: "address and port of the server (default \(ListenAddress.standard); port 0 selects a free one)") {
            options, value throws(Invalid) in
            guard let address = try? ListenAddress(value) else {
                throw Invalid(reason: "must be an address and a port, such as 127.0.0.1:7711, [::1]:7711 or 0.0.0.0:7711")
            }
            options.listen = address
        },
        Setting("name", "NAME", help: "name of the player, which remotes show (default: the name of the machine)") {
            options, value throws(Invalid) in
            guard (1...256).contains(value.utf8.count), !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw Invalid(reason: "must have 1 to 256 bytes and no control characters")
            }
            options.name = value
        },
        Setting("media-root", "DIR", separator: ":", completion: .folders, help: "folder whose media may be played and browsed; may be repeated") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a folder") }
            options.mediaRoots.append(value)
        },
        Setting(
            "sort-language", "LANGUAGE",
            help: "language of the order of folders, such as sv or de, whose leading articles it ignores, or none (default: that of LANG)"
        ) { options, value throws(Invalid) in
            let code = value.utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
            let isLocale = (2...3).contains(code.count) && value.utf8.count <= 32
            guard value == "none" || isLocale && value.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }) else {
                throw Invalid(reason: "must be none, or a language such as sv or de_CH")
            }
            options.sortLanguage = value
        },
        Setting(
            "output", "OUTPUT", completion: .words(Options.Output.names),
            help: "auto (PulseAudio, or ALSA without it), \(Options.Output.names.dropFirst().joined(separator: ", ")), or file:PATH.wav"
        ) { options, value throws(Invalid) in
            guard let output = Options.Output(word: value) else {
                throw Invalid(reason: "must be \(Options.Output.names.joined(separator: ", ")) or file:PATH.wav")
            }
            options.output = output
        },
        Setting("web", "DIR", completion: .folders, help: "serve this folder in place of the embedded page") { options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a folder") }
            options.web = value
        },
        Setting("token-file", "FILE", completion: .files, help: "file with the token that clients must send, then on a loopback address too") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a file") }
            options.tokenFile = value
        },
        Setting(
            "state-dir", "DIR", completion: .folders,
            help: "folder in which queue, position and settings survive a restart (default ~/.local/state/tonearm)"
        ) { options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a folder") }
            options.stateDirectory = value
        },
        Setting("no-state", help: "keep nothing: start with an empty queue and default settings") { options, value throws(Invalid) in
            options.noState = try yesOrNo(value)
        },
        Setting(
            "resume", "ACTION", completion: .words(["pause", "play"]), help: "after a restart: pause (default), or play if it was playing"
        ) { options, value throws(Invalid) in
            switch value {
            case "play": options.resumesPlayback = true
            case "pause": options.resumesPlayback = false
            default: throw Invalid(reason: "must be play or pause")
            }
        },
        Setting("remember-positions", help: "continue media of more than ten minutes at the position at which they were left") {
            options, value throws(Invalid) in
            options.remembersPositions = try yesOrNo(value)
        },
        Setting(
            "retry-time", "SECONDS", help: "how long a lost server is tried again after the buffered audio was heard (default 60)"
        ) { options, value throws(Invalid) in
            guard let seconds = Double(value), (0...86_400).contains(seconds) else { throw Invalid(reason: "must be 0 to 86400 seconds") }
            options.retryTime = seconds
        },
        Setting("no-auth", help: "require no token: everyone who can reach the address controls the player") { options, value throws(Invalid) in
            options.noAuth = try yesOrNo(value)
        },
        Setting("allow-private-urls", help: "allow clients of other machines to play URLs of private networks, such as a radio at home") {
            options, value throws(Invalid) in
            options.allowsPrivateURLs = try yesOrNo(value)
        },
        Setting(
            "allow-host", "NAME", separator: ",",
            help: "host name that clients may use for this server, as with a proxy (requires the token); may be repeated"
        ) {
            options, value throws(Invalid) in
            let allowed = value.utf8.allSatisfy { byte in
                byte.isASCIILetter || byte.isASCIIDigit || "-._".utf8.contains(byte)
            }
            guard !value.isEmpty, allowed else { throw Invalid(reason: "must be a host name without scheme and port, such as music.local") }
            options.allowedHosts.append(value.lowercased())
        },
        Setting(
            "allow-origin", "ORIGIN", separator: ",",
            help: "origin whose pages may call the API, such as https://home.example (requires the token); may be repeated"
        ) { options, value throws(Invalid) in
            guard let origin = canonicalOrigin(value) else {
                throw Invalid(reason: "must be a scheme and a host without a path, such as https://home.example or http://10.0.0.2:8123")
            }
            options.allowedOrigins.append(origin)
        },
        Setting(
            "trusted-proxy", "ADDRESS", separator: ",",
            help: "proxy whose X-Forwarded-For names the client, such as 127.0.0.1 or 10.0.0.0/8 (requires the token); may be repeated"
        ) { options, value throws(Invalid) in
            guard let range = AddressRange(value) else { throw Invalid(reason: "must be an address or a network, such as 127.0.0.1 or 10.0.0.0/8") }
            options.trustedProxies.append(range)
        },
        Setting("path-prefix", "PATH", help: "path below which a proxy serves the server, such as /tonearm; the proxy must not remove it") {
            options, value throws(Invalid) in
            guard let prefix = PathPrefix(value) else { throw Invalid(reason: "must be a path of letters, digits and -._~, such as /tonearm") }
            options.pathPrefix = prefix
        },
        loudness,
        headroom,
        crossfade,
        dither,
        resampler,
        Setting(
            "output-rate", "RATE", completion: .words(["auto", "item", "device"]),
            help: "device's rate in Hz: auto (default; an item's after a cut), item (each item's), device (its own), or 4000 to 384000"
        ) { options, value throws(Invalid) in
            guard let rate = OutputRate(value) else { throw Invalid(reason: "must be auto, item, device or a number from 4000 to 384000") }
            options.outputRate = rate
        },
        Setting("output-patience", "SECONDS", help: "longest absence of the output after which playback resumes: 0 to 86400 (default 600)") {
            options, value throws(Invalid) in
            guard let seconds = Double(value), (0...86_400).contains(seconds) else {
                throw Invalid(reason: "must be a number of seconds from 0 to 86400")
            }
            options.outputPatience = seconds
        },
        Setting("device-volume-limit", "VOLUME", help: "greatest volume of a device that clients may set: 0 to 1.5 (default)") {
            options, value throws(Invalid) in
            guard let volume = Double(value), (0...DeviceVolume.maximum).contains(volume) else {
                throw Invalid(reason: "must be a number from 0 to \(DeviceVolume.maximum)")
            }
            options.deviceVolumeLimit = volume
        },
        Setting("maximum-wait", "SECONDS", help: "maximum time for which a request may wait: 0 to 60 (default)") {
            options, value throws(Invalid) in
            guard let seconds = Double(value), (0...60).contains(seconds) else { throw Invalid(reason: "must be a number of seconds from 0 to 60") }
            options.maximumWait = seconds
        },
        Setting("log-level", "LEVEL", completion: .words(Log.Level.allCases.map(\.rawValue)), help: "error, warning, info (default) or debug") {
            options, value throws(Invalid) in
            guard let level = Log.Level(rawValue: value) else { throw Invalid(reason: "must be error, warning, info or debug") }
            options.logLevel = level
        },
    ]

    private static func yesOrNo(_ value: String) throws(Invalid) -> Bool {
        switch value.lowercased() {
        case "1", "yes", "true", "on": true
        case "0", "no", "false", "off": false
        default: throw Invalid(reason: "must be yes or no")
        }
    }

    /// A setting of `serve` and `render`.
    static let loudness = Setting(
        "loudness", "MODE", completion: .words(["off", "track", "album"]),
        help: "off (default), track or album: equal loudness by ReplayGain or R128 tags"
    ) {
        options, value throws(Invalid) in
        guard let mode = LoudnessMode(rawValue: value) else { throw Invalid(reason: "must be off, track or album") }
        options.loudness = mode
    }

    /// A setting of `serve` and `render`.
    static let headroom = Setting(
        "headroom", "AMOUNT", completion: .words(["off", "peak"]),
        help: "attenuation against clipping: off (default), peak (as the peak in the tags demands), or 0 to 12 decibels for all media"
    ) { options, value throws(Invalid) in
        guard let headroom = Headroom(value) else { throw Invalid(reason: "must be off, peak, or 0 to 12 decibels") }
        options.headroom = headroom
    }

    /// A setting of `serve` and `render`.
    static let crossfade = Setting(
        "crossfade", "SECONDS", help: "duration of the overlap of consecutive items, 0 (default, gapless) to \(longestCrossfade)"
    ) { options, value throws(Invalid) in
        guard let seconds = Double(value), CrossfadeDuration.range.contains(seconds) else {
            throw Invalid(reason: "must be a number of seconds from 0 to \(longestCrossfade)")
        }
        options.crossfade = seconds
    }

    /// A setting of `serve` and `render`.
    static let dither = Setting(
        "dither", "MODE", completion: .words(Dither.allCases.map(\.rawValue)),
        help: "noise of WAV files of 16 bits, where samples have more: tpdf (default) or none"
    ) { options, value throws(Invalid) in
        guard let mode = Dither(rawValue: value) else { throw Invalid(reason: "must be tpdf or none") }
        options.dither = mode
    }

    /// A setting of `serve` and `render`.
    static let resampler = Setting(
        "resampler", "QUALITY", completion: .words(Resampler.allCases.map(\.rawValue)),
        help: "conversion of sample rates: best (default), or fast for small machines"
    ) { options, value throws(Invalid) in
        guard let resampler = Resampler(rawValue: value) else { throw Invalid(reason: "must be best or fast") }
        options.resampler = resampler
    }

    private static let longestCrossfade = Int(CrossfadeDuration.range.upperBound)

    /// The origin in lower case and without a trailing slash, as browsers send it (RFC 6454, section 6.2).
    private static func canonicalOrigin(_ text: String) -> String? {
        let lowered = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else { return nil }
        var host = lowered.dropFirst(scheme.count)
        if host.hasSuffix("/") { host.removeLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !host.contains(where: { "/?#@\\\"".contains($0) }) else { return nil }
        return scheme + host
    }
}
