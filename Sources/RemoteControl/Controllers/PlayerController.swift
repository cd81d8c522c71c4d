import AVFoundation
import Platform
import PlaybackEngine
import Player

/// The controller of the player's state, its settings and its transport (play, pause, seek).
struct PlayerController: Sendable {
    /// The longest time, in seconds, that a request may state in its parameter `wait`.
    static let longestWait = 60.0
    /// The permitted rates of playback, as factors of normal speed. Rates other than 0 with a magnitude below `slowestRate` are not permitted.
    static let rates = -32.0...32.0
    /// The smallest permitted magnitude of a rate other than 0, as a factor of normal speed (R-PITCH-01).
    static let slowestRate = 1.0 / 32
    /// The largest permitted shuffle seed. JavaScript represents every integer up to the largest seed exactly.
    static let largestSeed: Int64 = 9_007_199_254_740_991
    /// The permitted media times, in seconds. The limit, 31 years, is longer than any medium, and small enough that later sums do not overflow.
    static let times = -1e9...1e9
    /// The permitted durations of a fade, in seconds: at most an hour.
    static let fades = 0.0...3600.0

    let player: any RemotePlayer
    let hub: EventHub
    /// The greatest value of the parameter `wait` that has an effect, in seconds; a larger value, up to `longestWait`, counts as this one. Tests of
    /// clients set a low one (`--maximum-wait`), so that they need not wait long.
    let maximumWait: Double

    // MARK: State

    func state(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let wait = try request.target.number("wait", in: 0...Self.longestWait)
        let snapshot = hub.broadcast.snapshot
        guard let known = request.fields.ifNoneMatch, EntityTag.noneMatchNames(known, snapshot.entityTag) else { return .now(snapshot.response) }
        guard let wait, wait > 0 else { return .now(snapshot.notModified) }
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            await hub.waitForChange(from: snapshot.entityTag, atMost: min(wait, maximumWait))
            let latest = hub.broadcast.snapshot
            return EntityTag.noneMatchNames(known, latest.entityTag) ? latest.notModified : latest.response
        }
    }

    func time(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        // The position and the revision are read one after the other, while the player may change. They belong together if the position belongs to a
        // published state, and no other state was published meanwhile.
        let snapshot = hub.broadcast.snapshot
        let time = player.currentTime()
        if time.isPublished, hub.broadcast.snapshot === snapshot { return .now(.json(time.json(revision: snapshot.revision))) }
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            let revision = await hub.settledSnapshot().revision
            return .json(player.currentTime().json(revision: revision))
        }
    }

    // MARK: Settings

    func update(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let update = try Self.update(request.request.body)
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            try await perform(.update(update), request)
        }
    }

    private static func update(_ body: [UInt8]) throws(Problem) -> PlayerUpdate {
        let reader = try JSONObjectReader(
            body: body,
            known: [
                "rate", "defaultRate", "volume", "fade", "isMuted", "automaticallyWaitsToMinimizeStalling", "audioTimePitchAlgorithm", "repeatMode",
                "isShuffled", "shuffleSeed", "isConsuming", "actionAtItemEnd", "crossfadeDuration", "loudnessNormalization",
            ])
        var update = PlayerUpdate()
        update.rate = try rate("rate", reader)
        update.defaultRate = try nonzeroRate("defaultRate", reader)
        update.volume = try reader.number("volume", in: 0...1)
        update.volumeFade = try reader.number("fade", in: fades)
        guard update.volumeFade == nil || update.volume != nil else {
            throw Problem(.invalidValue, "\"fade\" needs a \"volume\".", pointer: reader.pointer("fade"))
        }
        update.isMuted = try reader.bool("isMuted")
        update.automaticallyWaitsToMinimizeStalling = try reader.bool("automaticallyWaitsToMinimizeStalling")
        update.audioTimePitchAlgorithm = try reader.choice("audioTimePitchAlgorithm", of: PitchAlgorithm.self)
        update.repeatMode = try reader.choice("repeatMode", of: PlaylistMachine.RepeatMode.self)
        update.isShuffled = try reader.bool("isShuffled")
        if let seed = try reader.integer("shuffleSeed", in: 0...Self.largestSeed) {
            guard update.isShuffled != false else {
                throw Problem(.invalidValue, "\"shuffleSeed\" cannot be combined with \"isShuffled\": false.", pointer: reader.pointer("shuffleSeed"))
            }
            update.shuffleSeed = UInt64(seed)
        }
        update.isConsuming = try reader.bool("isConsuming")
        update.crossfadeDuration = try reader.number("crossfadeDuration", in: CrossfadeDuration.range)
        update.loudnessNormalization = try reader.choice("loudnessNormalization", of: LoudnessMode.self)
        update.actionAtItemEnd = try reader.choice("actionAtItemEnd", of: AVPlayer.ActionAtItemEnd.self)
        return update
    }

    // MARK: Transport

    func play(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        guard !request.request.body.isEmpty else { return transport(.play(rate: nil), request) }
        let reader = try JSONObjectReader(body: request.request.body, known: ["rate", "fade", "hostTime", "date"])
        let (rate, fade) = (try Self.nonzeroRate("rate", reader), try reader.number("fade", in: Self.fades) ?? 0)
        return transport(.play(rate: rate, fade: fade, at: try Self.moment(reader)), request)
    }

    /// Reads the moment at which playback is to start, from `hostTime` or `date`; nil if it starts at once.
    private static func moment(_ reader: JSONObjectReader) throws(Problem) -> StartMoment? {
        let hostTime = try reader.number("hostTime", in: 0...times.upperBound)
        guard let text = try reader.string("date", maximumLength: 64) else { return hostTime.map(StartMoment.hostTime) }
        guard hostTime == nil else { throw Problem(.invalidValue, "Give only one of hostTime and date.", pointer: reader.pointer("date")) }
        guard let date = RFC3339.seconds(text) else {
            throw Problem(.invalidValue, "\"date\" must be a date and time such as 2026-01-31T12:00:00Z.", pointer: reader.pointer("date"))
        }
        return .date(date)
    }

    func pause(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        guard !request.request.body.isEmpty else { return transport(.pause, request) }
        let fade = try JSONObjectReader(body: request.request.body, known: ["fade"]).number("fade", in: Self.fades) ?? 0
        return transport(fade > 0 ? .fadeToPause(seconds: fade) : .pause, request)
    }

    func toggle(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        try Self.checkEmpty(request.request.body)
        return transport(.toggle, request)
    }

    func seek(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        seek(try SeekCommand(json: request.request.body), request)
    }

    func skip(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let reader = try JSONObjectReader(body: request.request.body, known: ["seconds"])
        guard let seconds = try reader.number("seconds", in: Self.times) else { throw reader.missing("seconds") }
        return seek(SeekCommand(target: .skip(seconds)), request)
    }

    func changeVolume(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let reader = try JSONObjectReader(body: request.request.body, known: ["by", "fade"])
        guard let change = try reader.number("by", in: -1...1) else { throw reader.missing("by") }
        return transport(.changeVolume(by: change, fade: try reader.number("fade", in: Self.fades) ?? 0), request)
    }

    func setLoop(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let reader = try JSONObjectReader(body: request.request.body, known: ["start", "end"])
        guard let start = try reader.number("start", in: 0...Self.times.upperBound) else { throw reader.missing("start") }
        guard let end = try reader.number("end", in: 0...Self.times.upperBound) else { throw reader.missing("end") }
        guard end > start else { throw Problem(.invalidValue, "\"end\" must be after \"start\".", pointer: reader.pointer("end")) }
        return transport(.setLoop(start: start, end: end), request)
    }

    func clearLoop(_ request: RouteRequest) throws(Problem) -> Route.Outcome { transport(.clearLoop, request) }

    private func seek(_ command: SeekCommand, _ request: RouteRequest) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            try await hub.requireMatch(request)
            let former = player.state == hub.broadcast.snapshot.state ? hub.broadcast.snapshot.revision : nil
            guard case .seek(let finished, let time, let requested) = try await Self.perform(.seek(command), on: player, for: request)
            else {
                throw Problem(.notSeekable, "The player did not carry out the seek.")
            }
            let snapshot = await hub.settledSnapshot()
            // The answer to a seek does not contain the state. So it gets the tag of the new state only if the seek is certainly the only change
            // since the request arrived: then the client knows the state without reading it.
            let isOnlyChange = former.map { snapshot.revision <= $0 + 1 } ?? false
            return .json(
                JSONWriter.object { writer in
                    writer.member("finished", finished)
                    writer.member("time", time)
                    writer.member("requested", requested)
                }, entityTag: isOnlyChange ? snapshot.entityTag : nil)
        }
    }

    // MARK: Parts

    private func transport(_ command: PlayerCommand, _ request: RouteRequest) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in try await perform(command, request) }
    }

    /// Performs a command, and answers with a state of the player that includes the command's effect.
    @MainActor private func perform(_ command: PlayerCommand, _ request: RouteRequest) async throws(Problem) -> HTTPResponse {
        try await hub.requireMatch(request)
        _ = try await Self.perform(command, on: player, for: request)
        return await hub.settledSnapshot().response
    }

    /// Sends a command to the player. All controllers use this function instead of `RemotePlayer.perform`, because it also lets the next command of a
    /// WebSocket start (`CommandHold`), refuses a command that comes too late (`CommandDeadline`), and converts a refusal to a problem.
    @MainActor static func perform(
        _ command: PlayerCommand, on player: any RemotePlayer, for request: RouteRequest
    ) async throws(Problem) -> PlayerReply {
        request.hold?.releaseAfterCurrentTurn()
        try request.deadline?.check()
        do throws(PlayerRefusal) {
            return try await player.perform(command, origin: request.origin)
        } catch {
            throw Problem(error, isEmpty: player.state.queue.count == 0)
        }
    }

    private static func rate(_ name: String, _ reader: JSONObjectReader) throws(Problem) -> Double? {
        guard let rate = try reader.number(name, in: rates) else { return nil }
        guard rate == 0 || abs(rate) >= slowestRate else {
            throw Problem(.outOfRange, "\"\(name)\" must be 0, from 0.03125 (1/32) to 32, or from -32 to -0.03125.", pointer: reader.pointer(name))
        }
        return rate
    }

    private static func nonzeroRate(_ name: String, _ reader: JSONObjectReader) throws(Problem) -> Double? {
        let rate = try rate(name, reader)
        if rate == 0 { throw Problem(.outOfRange, "\"\(name)\" must not be 0. To stop playback, send pause.", pointer: reader.pointer(name)) }
        return rate
    }

    static func checkEmpty(_ body: [UInt8]) throws(Problem) {
        if !body.isEmpty { _ = try JSONObjectReader(body: body, known: []) }
    }
}

extension SeekCommand {
    /// Decodes the JSON body of `POST /api/v1/player/seek`.
    init(json body: [UInt8]) throws(Problem) {
        let reader = try JSONObjectReader(
            body: body, known: ["time", "offset", "fraction", "exactTime", "tolerance", "toleranceBefore", "toleranceAfter"])
        try self.init(target: Self.target(reader), tolerance: Self.tolerance(reader))
    }

    private static func target(_ reader: JSONObjectReader) throws(Problem) -> Target {
        let given = ["time", "offset", "fraction", "exactTime"].filter(reader.has)
        guard let first = given.first else {
            throw Problem(.missingMember, "Give one of time, offset, fraction and exactTime.", pointer: reader.pointer("time"))
        }
        guard given.count == 1 else {
            throw Problem(.invalidValue, "Give only one of time, offset, fraction and exactTime.", pointer: reader.pointer(given[1]))
        }
        if let time = try reader.number("time", in: PlayerController.times) { return .time(time) }
        if let offset = try reader.number("offset", in: PlayerController.times) { return .offset(offset) }
        if let fraction = try reader.number("fraction", in: 0...1) { return .fraction(fraction) }
        if let exact = try reader.object("exactTime", known: ["value", "timescale"]) { return try exactTime(exact) }
        throw reader.missing(first)
    }

    /// Reads the members of `exactTime`: the position is `value` / `timescale` seconds. Throws a problem if the position is out of range.
    private static func exactTime(_ reader: JSONObjectReader) throws(Problem) -> Target {
        guard let value = try reader.integer("value", in: Int64.min...Int64.max) else { throw reader.missing("value") }
        guard let timescale = try reader.integer("timescale", in: 1...Int64(Int32.max)) else { throw reader.missing("timescale") }
        guard PlayerController.times.contains(Double(value) / Double(timescale)) else {
            throw Problem(
                .outOfRange, "\"value\" divided by \"timescale\" must be from -1000000000 to 1000000000 seconds.", pointer: reader.pointer("value"))
        }
        return .exactTime(value: value, timescale: Int32(timescale))
    }

    private static func tolerance(_ reader: JSONObjectReader) throws(Problem) -> Tolerance {
        let kind = try reader.choice("tolerance", of: ["automatic", "exact", "any", "range"]) ?? "automatic"
        let before = try reader.number("toleranceBefore", in: 0...PlayerController.times.upperBound)
        let after = try reader.number("toleranceAfter", in: 0...PlayerController.times.upperBound)
        guard kind == "range" else {
            for name in ["toleranceBefore", "toleranceAfter"] where reader.has(name) {
                throw Problem(.invalidValue, "\"\(name)\" requires \"tolerance\": \"range\".", pointer: reader.pointer(name))
            }
            return kind == "any" ? .any : kind == "exact" ? .exact : .automatic
        }
        return .range(before: before ?? 0, after: after ?? 0)
    }
}
