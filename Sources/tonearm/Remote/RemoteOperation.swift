import CoreMedia
import Platform

/// The operation that the arguments of `tonearm remote` request, before a daemon is contacted.
enum RemoteOperation: Sendable, Hashable {
    enum Position: Sendable, Hashable {
        case time(Double)
        case offset(Double)
        case fraction(Double)
    }
    /// A volume in percent.
    enum Level: Sendable, Hashable {
        case absolute(Double)
        case relative(Double)
    }
    enum Sleep: Sendable, Hashable {
        case after(seconds: Double)
        case endOfItem
        case off
    }
    /// Commands without arguments. The raw values are paths of the API.
    enum Transport: String, Sendable, Hashable {
        case play = "player/play"
        case pause = "player/pause"
        case toggle = "player/toggle"
        case next = "queue/next"
        case previous = "queue/previous"
    }

    case status, queue, outputs, servers
    case transport(Transport)
    /// Replaces the queue by these files and URLs, and plays them.
    case playMedia([String])
    case seek(Position)
    case volume(Level)
    /// Mutes or unmutes; nil means the opposite of the present state.
    case mute(Bool?)
    case rate(Double)
    case repeatMode(String)
    case shuffle(Bool)
    case sleepTimer(Sleep)
    case output(String)
    case add([String])
    /// Plays the entry with this number; numbers begin at 1.
    case jump(Int)
    case remove([Int])
    case move(from: Int, to: Int)
    case clear
}

extension RemoteOperation.Position {
    /// Parses a position (`90`, `1:02:03.5`), an offset (`+30`, `-1:00`) or a part of the duration (`50%`).
    init?(argument text: String) {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return nil }
        if text.utf8.last == UInt8(ascii: "%") {
            guard let percent = Double(argument: text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .fraction(percent / 100)
            return
        }
        let isOffset = first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
        guard let time = CMTime(argument: isOffset ? String(text.dropFirst()) : text) else { return nil }
        let seconds = time.seconds
        guard seconds <= 1e9 else { return nil }
        self = isOffset ? .offset(first == UInt8(ascii: "-") ? -seconds : seconds) : .time(seconds)
    }
}

extension RemoteOperation.Level {
    /// Parses a volume (`40`, `40%`) or a change of it (`+5`, `-5`), up to 100.
    init?(argument text: String) {
        var rest = Substring(text)
        if rest.utf8.last == UInt8(ascii: "%") { rest.removeLast() }
        let sign = rest.utf8.first.flatMap { "+-".utf8.contains($0) ? $0 : nil }
        guard let level = Double(argument: sign == nil ? rest : rest.dropFirst()), (0...100).contains(level) else { return nil }
        self = sign.map { .relative($0 == UInt8(ascii: "-") ? -level : level) } ?? .absolute(level)
    }
}

extension RemoteOperation.Sleep {
    /// Parses a duration (`45s`, `30m`, `1h30m`) of at most a day, `end` or `off`.
    init?(argument text: String) {
        switch text {
        case "end": self = .endOfItem
        case "off": self = .off
        default:
            var seconds = 0.0
            var digits = ""
            var last = Double.infinity
            for byte in text.utf8.prefix(64) {
                if byte.isASCIIDigit {
                    digits.unicodeScalars.append(Unicode.Scalar(byte))
                    continue
                }
                let unit: Double
                switch byte {
                case UInt8(ascii: "h"): unit = 3600
                case UInt8(ascii: "m"): unit = 60
                case UInt8(ascii: "s"): unit = 1
                default: return nil
                }
                guard unit < last, let number = Double(argument: Substring(digits)) else { return nil }
                (seconds, digits, last) = (seconds + number * unit, "", unit)
            }
            guard digits.isEmpty, last.isFinite, seconds <= 86_400, text.utf8.count <= 64 else { return nil }
            self = .after(seconds: seconds)
        }
    }
}

extension Double {
    /// Parses a number such as `12` or `0.5`, without a sign or an exponent.
    init?(argument text: Substring) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= 32, bytes.first?.isASCIIDigit == true, bytes.last?.isASCIIDigit == true,
            bytes.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        self.init(String(text))
    }
}

struct RemoteOptions: Sendable, Hashable {
    var operation = RemoteOperation.status
    /// The address of the daemon; nil for the daemon that is found on this machine.
    var address: RemoteAddress?
    var isJSON = false
    /// Whether changes are printed until the program is stopped.
    var follows = false
    /// Whether media are added after the current entry, not at the end.
    var addsNext = false
}

extension Setting {
    /// The settings of `remote` that have environment variables.
    static let connection: [Setting] = [
        Setting("address", "ADDRESS", help: "address of the daemon, such as 192.168.1.5:7711 (default: found on this machine)") {
            options, value throws(Invalid) in
            guard let address = RemoteAddress(value) else {
                throw Invalid(reason: "must be a host and a port, such as 127.0.0.1:7711, or http://HOST[:PORT][/PATH]")
            }
            options.remote.address = address
        },
        Setting("token-file", "FILE", completion: .files, help: "file with the token of the daemon (default: found on this machine)") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a file") }
            options.tokenFile = value
        },
    ]

    static let remote: [Setting] =
        connection + [
            Setting("json", help: "print the server's JSON document") { options, _ in options.remote.isJSON = true },
            Setting("follow", letter: "-f", help: "then print changes: on a terminal one live line, otherwise one line each") { options, _ in
                options.remote.follows = true
            },
            Setting("next", help: "with add: after the current entry") { options, _ in options.remote.addsNext = true },
        ]
}
