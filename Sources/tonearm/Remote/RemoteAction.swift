import Player

/// One command of `tonearm remote`. Help, completion and manual page are made from `all`.
struct RemoteAction: Sendable {
    let name: String
    /// The arguments, such as `TIME` or `[FILE|URL…]`; empty if there are none.
    let usage: String
    let help: String
    let completion: Completion
    /// The permitted numbers of arguments.
    let count: ClosedRange<Int>
    /// Makes the operation from the arguments; returns nil if the arguments are invalid although `count` permits their number.
    let operation: @Sendable ([String]) -> RemoteOperation?
    /// The valid arguments for the error message, such as "a position such as 90".
    let form: String

    init(
        _ name: String, _ usage: String = "", help: String, completion: Completion = .nothing, count: ClosedRange<Int> = 0...0, form: String = "",
        operation: @escaping @Sendable ([String]) -> RemoteOperation?
    ) {
        self.name = name
        self.usage = usage
        self.help = help
        self.completion = completion
        self.count = count
        self.form = form
        self.operation = operation
    }

    /// The name of the command with its arguments.
    var spelling: String { usage.isEmpty ? name : "\(name) \(usage)" }

    /// All commands in the order of the help.
    static let all: [RemoteAction] = [
        RemoteAction("status", help: "the state of the player (default)") { _ in .status },
        RemoteAction("play", "[FILE|URL…]", help: "play; with media, in place of the queue", completion: .files, count: 0...10_000) {
            $0.isEmpty ? .transport(.play) : .playMedia($0)
        },
        RemoteAction("pause", help: "pause") { _ in .transport(.pause) },
        RemoteAction("toggle", help: "pause or play") { _ in .transport(.toggle) },
        RemoteAction("next", help: "the next entry") { _ in .transport(.next) },
        RemoteAction("previous", help: "the previous entry") { _ in .transport(.previous) },
        RemoteAction(
            "seek", "TIME", help: "to a position (90, 1:02:03.5), by an offset (+30, -1:00), to a part (50%)", count: 1...1,
            form: "a position such as 90, 1:02:03.5, +30, -10 or 50%"
        ) { RemoteOperation.Position(argument: $0[0]).map(RemoteOperation.seek) },
        RemoteAction("volume", "LEVEL", help: "0 to 100, or a change (+5, -5)", count: 1...1, form: "0 to 100, or a change such as +5 or -5") {
            RemoteOperation.Level(argument: $0[0]).map(RemoteOperation.volume)
        },
        RemoteAction("mute", "[on|off]", help: "mute or unmute", completion: .words(["on", "off"]), count: 0...1, form: "on or off") {
            $0.isEmpty ? .mute(nil) : isOn($0[0]).map { .mute($0) }
        },
        RemoteAction(
            "rate", "RATE", help: "the speed, with the pitch kept: 0.03125 to 32, or negative for backwards", count: 1...1,
            form: "a number such as 1.5"
        ) {
            rate($0[0]).map(RemoteOperation.rate)
        },
        RemoteAction(
            "repeat", "off|one|all", help: "what is repeated", completion: .words(["off", "one", "all"]), count: 1...1, form: "off, one or all"
        ) { ["off", "one", "all"].contains($0[0]) ? .repeatMode($0[0]) : nil },
        RemoteAction("shuffle", "on|off", help: "play in a random order", completion: .words(["on", "off"]), count: 1...1, form: "on or off") {
            isOn($0[0]).map(RemoteOperation.shuffle)
        },
        RemoteAction(
            "sleep", "TIME|end|off", help: "pause after a time (30m, 1h30m) or at the end of the item", completion: .words(["30m", "end", "off"]),
            count: 1...1, form: "a time such as 45s, 30m or 1h30m, at most 24h, or end, or off"
        ) { RemoteOperation.Sleep(argument: $0[0]).map(RemoteOperation.sleepTimer) },
        RemoteAction("queue", help: "the entries with their numbers") { _ in .queue },
        RemoteAction("add", "FILE|URL…", help: "add media to the end; with --next, after the current entry", completion: .files, count: 1...10_000) {
            .add($0)
        },
        RemoteAction("jump", "N", help: "play the entry with this number", count: 1...1, form: numberForm) {
            number($0[0]).map(RemoteOperation.jump)
        },
        RemoteAction("remove", "N…", help: "remove entries", count: 1...PlaylistMachine.maximumCount, form: numberForm) {
            let numbers = $0.compactMap(number)
            return numbers.count == $0.count ? .remove(numbers) : nil
        },
        RemoteAction("move", "N M", help: "move an entry to another number", count: 2...2, form: "two \(numberForm)") {
            guard let from = number($0[0]), let to = number($0[1]) else { return nil }
            return .move(from: from, to: to)
        },
        RemoteAction("clear", help: "remove all entries") { _ in .clear },
        RemoteAction("outputs", help: "the outputs to choose from") { _ in .outputs },
        RemoteAction("output", "NAME", help: "choose an output by its id or its name", count: 1...1, form: "an output of \"tonearm remote outputs\"")
        {
            $0[0].isEmpty ? nil : .output($0[0])
        },
        RemoteAction("servers", help: "the daemons of this user on this machine") { _ in .servers },
    ]

    private static let numberForm = "numbers of entries, as \"tonearm remote queue\" shows them"

    /// Parses the arguments of `tonearm remote`. Without arguments, the operation is `status`.
    static func operation(_ arguments: [String]) throws(OptionsError) -> RemoteOperation {
        guard let word = arguments.first else { return .status }
        guard let action = all.first(where: { $0.name == word }) else {
            throw OptionsError("\"\(word)\" is not a command of the remote; \"tonearm help remote\" lists them")
        }
        let rest = Array(arguments.dropFirst())
        guard action.count.contains(rest.count) else {
            if action.count == 0...0 { throw OptionsError("\(word) has no arguments") }
            throw OptionsError("the usage is: tonearm remote \(action.spelling)")
        }
        guard let operation = action.operation(rest) else {
            throw OptionsError("\(word) needs \(action.form), not \"\(rest.joined(separator: " "))\"")
        }
        return operation
    }

    private static func isOn(_ text: String) -> Bool? { ["on": true, "off": false][text] }

    private static func number(_ text: String) -> Int? { Int(text).flatMap { (1...PlaylistMachine.maximumCount).contains($0) ? $0 : nil } }

    private static func rate(_ text: String) -> Double? {
        let isNegative = text.hasPrefix("-")
        guard let rate = Double(argument: isNegative ? text.dropFirst() : Substring(text)), (1.0 / 32...32).contains(rate) else { return nil }
        return isNegative ? -rate : rate
    }
}
