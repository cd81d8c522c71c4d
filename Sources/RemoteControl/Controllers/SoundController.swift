import Platform
import PlaybackEngine
import Playlist

/// The controller of the output, the audio session and the sleep timer.
struct SoundController: Sendable {
    /// The time limit for opening a device, in seconds.
    static let patience = 5.0
    /// The permitted durations of a sleep timer, in seconds: at most a day.
    static let sleepTimes = 0.0...86_400.0

    let player: any RemotePlayer
    let hub: EventHub
    /// The outputs that a client can choose; nil if the output cannot be chosen.
    let directory: (any OutputDirectory)?
    let files: FileQueue
    let clock: any HostClock

    // MARK: Outputs

    func outputs(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .elsewhere { () throws(Problem) -> HTTPResponse in .json(json(try await list())) }
    }

    func setOutput(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["id"])
        guard let id = try body.string("id", maximumLength: 1024) else { throw body.missing("id") }
        let pointer = body.pointer("id")
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let choices = try await list()
            guard let directory, let choice = choices.first(where: { $0.id == id }) else {
                throw Problem(.outputNotFound, "There is no output with this id.", pointer: pointer)
            }
            try await move(to: choice, directory, request)
            return .json(json(choices))
        }
    }

    private func list() async throws(Problem) -> [OutputChoice] {
        guard let directory else { return [] }
        return try await files.run { () throws(Problem) -> [OutputChoice] in directory.outputs() }
    }

    private func json(_ choices: [OutputChoice]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("chosenId", ifPresent: directory?.chosenID)
            writer.member("outputs", array: choices) { writer, choice in
                writer.object(choice.write)
            }
        }
    }

    /// Moves playback to an output, and returns after that output has opened. If no output is open, returns immediately. Throws if the output cannot
    /// be opened; the former output then stays in use.
    @MainActor private func move(to choice: OutputChoice, _ directory: any OutputDirectory, _ request: RouteRequest) async throws(Problem) {
        try await requireMatch(request)
        let wanted = directory.providers(of: choice)
        let former = directory.chosenProviders
        let hasOutput = player.state.output.kind != .none
        do throws(PlayerRefusal) {
            try player.moveSound(to: wanted + former, origin: request.origin)
        } catch {
            throw Problem(error)
        }
        let deadline = clock.now + Self.patience
        // If no output is open, as before the first playback, the choice takes effect when an output is needed.
        while hasOutput, !choice.matches(player.state.output) {
            let now = clock.now
            guard now < deadline else {
                try? player.moveSound(to: former, origin: request.origin)
                throw Problem(.outputUnavailable, "The output cannot be opened now. The previous output stays selected.", pointer: "/id")
            }
            await hub.waitForChange(from: hub.feed.snapshot.entityTag, atMost: deadline - now)
        }
        directory.didChoose(choice)
    }

    // MARK: The audio session

    func session(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in .json(JSONWriter.object(player.audioSession.write)) }
    }

    func updateSession(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["category", "mode", "options", "isActive"])
        var update = AudioSessionUpdate()
        update.category = try body.choice("category", of: AudioSessionState.Category.self)
        update.mode = try body.choice("mode", of: AudioSessionState.Mode.self)
        update.options = try body.choices("options", of: AudioSessionState.Option.self)
        update.isActive = try body.bool("isActive")
        return .onMainActor { [update] () throws(Problem) -> HTTPResponse in
            try await perform(.updateSession(update), request)
            return .json(JSONWriter.object(player.audioSession.write))
        }
    }

    // MARK: The sleep timer

    func sleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in timerResponse }
    }

    func setSleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let body = try JSONObjectReader(body: request.request.body, known: ["seconds", "endOfItem"])
        let seconds = try body.number("seconds", in: Self.sleepTimes)
        let atEnd = try body.bool("endOfItem")
        let setting: SleepTimerSetting
        switch (seconds, atEnd) {
        case (let seconds?, nil): setting = .after(seconds: seconds)
        case (nil, true?): setting = .atEndOfItem
        case (nil, false?): throw Problem(.invalidValue, "Send DELETE to cancel the timer.", pointer: body.pointer("endOfItem"))
        case (nil, nil): throw Problem(.missingMember, "Give one of seconds and endOfItem.", pointer: body.pointer("seconds"))
        case (_?, _?): throw Problem(.invalidValue, "Give only one of seconds and endOfItem.", pointer: body.pointer("endOfItem"))
        }
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            try await perform(.setSleepTimer(setting), request)
            return timerResponse
        }
    }

    func cancelSleepTimer(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            try await perform(.setSleepTimer(.off), request)
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
        try await requireMatch(request)
        _ = try await PlayerController.perform(command, on: player, origin: request.origin)
        _ = await hub.settledSnapshot()
    }

    @MainActor private func requireMatch(_ request: RouteRequest) async throws(Problem) { try await hub.requireMatch(request.fields.ifMatch) }
}
