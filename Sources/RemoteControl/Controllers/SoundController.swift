import Platform
import PlaybackEngine
import Player

struct SoundController: Sendable {
    /// The time limit for opening a device, in seconds.
    static let patience = 5.0
    /// The permitted durations of a sleep timer, in seconds: at most a day.
    static let sleepTimes = 0.0...86_400.0

    let player: any RemotePlayer
    let hub: EventHub
    /// The outputs that can be chosen; nil if the output cannot be chosen.
    let catalog: (any OutputCatalog)?
    let files: FileQueue
    let clock: any HostClock

    // MARK: Outputs

    func outputs(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .elsewhere { () throws(Problem) -> HTTPResponse in await response(with: try await list()) }
    }

    func setOutput(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try request.refuseMatch()
        let body = try JSONObjectReader(body: request.request.body, known: ["id"])
        guard let id = try body.string("id", maximumLength: 1024) else { throw body.missing("id") }
        let pointer = body.pointer("id")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let choices = try await list()
            guard let catalog, let choice = choices.first(where: { $0.id == id }) else {
                throw Problem(.outputNotFound, "There is no output with this id.", pointer: pointer)
            }
            try await move(to: choice, catalog, request)
            return await response(with: choices)
        }
    }

    func updateOutput(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try request.refuseMatch()
        let body = try JSONObjectReader(body: request.request.body, known: ["volume", "isMuted", "outputRate"])
        let volume = try body.number("volume", in: 0...DeviceVolume.maximum)
        let isMuted = try body.bool("isMuted")
        let word = try body.string("outputRate", maximumLength: 16)
        let rate = word.flatMap(OutputRate.init)
        guard word == nil || rate != nil else {
            throw Problem(
                .invalidValue, "`outputRate` is auto, item, device, or a number of frames per second from 4000 to 384000.",
                pointer: body.pointer("outputRate"))
        }
        let changesVolume = volume != nil || isMuted != nil
        guard changesVolume || rate != nil else { throw body.missing("volume") }
        let id = Array(request.variable("output").utf8)
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            guard let catalog, let choice = try await list().first(where: { $0.id.utf8.elementsEqual(id) }) else {
                throw Problem(.outputNotFound, "There is no output with this id.")
            }
            guard choice.volume != nil || !changesVolume else {
                throw Problem(.outputWithoutVolume, "This output has no volume of its own. Change the player's volume.")
            }
            let isDone = try await files.run { () throws(Problem) -> Bool in
                // The client may have given up while the queue did other work.
                try request.deadline?.check()
                return !changesVolume || catalog.setVolume(of: choice, volume: volume, isMuted: isMuted)
            }
            guard isDone else { throw Problem(.outputUnavailable, "The sound server did not change the volume.") }
            if let rate { try await perform(.setOutputRate(rate, device: choice.device), request) }
            return await response(with: try await list())
        }
    }

    private func list() async throws(Problem) -> [OutputChoice] {
        guard let catalog else { return [] }
        return try await files.run { () throws(Problem) -> [OutputChoice] in catalog.outputs() }
    }

    @MainActor private func response(with choices: [OutputChoice]) -> HTTPResponse {
        let rates = player.outputRates
        return .json(
            JSONWriter.object { writer in
                writer.member("chosenId", ifPresent: catalog?.chosenID)
                writer.member("outputs", array: choices) { writer, choice in
                    writer.object { choice.write(&$0, rates) }
                }
            })
    }

    /// Moves playback to another output. Returns after the new output has opened, or at once if no output is open now. If the new output cannot be
    /// opened, the former choice is restored.
    @MainActor private func move(to choice: OutputChoice, _ catalog: any OutputCatalog, _ request: RouteRequest) async throws(Problem) {
        let former = catalog.chosenWish
        let hasOutput = player.state.output.kind != .none && player.state.audioSession.silence != .noOutput
        try request.deadline?.check()
        do throws(PlayerRefusal) {
            try player.moveSound(to: choice.wish, origin: request.origin)
        } catch {
            throw Problem(error)
        }
        let deadline = clock.now + Self.patience
        // If no output is open, as before the first playback or while the sound server is away, the choice is kept until one can be opened.
        while hasOutput, !choice.matches(player.state.output) {
            let now = clock.now
            guard now < deadline else {
                try? player.moveSound(to: former, origin: request.origin)
                throw Problem(.outputUnavailable, "The output cannot be opened now. The previous output stays selected.", pointer: "/id")
            }
            await hub.waitForChange(from: hub.broadcast.snapshot.entityTag, atMost: deadline - now)
        }
        catalog.didChoose(choice)
    }

    // MARK: The sleep timer

    private static let sleepMembers = ["seconds", "endOfItem", "endOfChapter", "items"]

    func sleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in timerResponse }
    }

    func setSleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try request.refuseMatch()
        let body = try JSONObjectReader(body: request.request.body, known: Self.sleepMembers)
        let seconds = try body.number("seconds", in: Self.sleepTimes)
        let atEnd = try body.bool("endOfItem")
        let atEndOfChapter = try body.bool("endOfChapter")
        let items = try body.integer("items", in: 1...1000)
        let given = Self.sleepMembers.filter(body.has)
        guard let first = given.first else {
            throw Problem(.missingMember, "Give one of seconds, endOfItem, endOfChapter and items.", pointer: body.pointer("seconds"))
        }
        guard given.count == 1 else {
            throw Problem(.invalidValue, "Give only one of seconds, endOfItem, endOfChapter and items.", pointer: body.pointer(given[1]))
        }
        guard atEnd != false, atEndOfChapter != false else {
            throw Problem(.invalidValue, "Send DELETE to cancel the timer.", pointer: body.pointer(first))
        }
        let setting: SleepTimerSetting =
            seconds.map { .after(seconds: $0) } ?? items.map { .afterItems(Int($0)) } ?? (atEnd == true ? .atEndOfItem : .atEndOfChapter)
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            try await perform(.setSleepTimer(setting), request)
            _ = await hub.settledSnapshot()
            return timerResponse
        }
    }

    func cancelSleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try request.refuseMatch()
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            try await perform(.setSleepTimer(.off), request)
            _ = await hub.settledSnapshot()
            return .empty()
        }
    }

    @MainActor private var timerResponse: HTTPResponse {
        let timer = player.state.sleepTimer
        return .json(
            JSONWriter.object { writer in
                timer.write(&writer)
                writer.member("remaining", ifPresent: timer.hostTime.map { max(0, $0 - clock.now.seconds) })
            })
    }

    // MARK: Parts

    @MainActor private func perform(_ command: PlayerCommand, _ request: RouteRequest) async throws(Problem) {
        _ = try await PlayerController.perform(command, on: player, for: request)
    }
}

extension OutputKind {
    /// The name for clients. The null output is `silent`, because generators of clients read `null` as JSON's null.
    var wireName: String { self == .null ? "silent" : rawValue }
}

extension OutputChoice {
    func write(_ writer: inout JSONWriter, _ rates: OutputRates) {
        writer.member("id", id)
        writer.member("kind", kind.wireName)
        writer.member("name", name)
        if let volume {
            writer.member("volume", volume.volume)
            writer.member("isMuted", volume.isMuted)
        }
        writer.member("outputRate", rates.rate(of: device).description)
    }
}
