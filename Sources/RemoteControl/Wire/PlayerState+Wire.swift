import Platform
import PlaybackEngine
import Player

/// One member of the state's document. The list `all` determines the members of the document, and the names in `changed` of `state` events.
struct StateMember: Sendable {
    let name: String
    let differs: @Sendable (PlayerState, PlayerState) -> Bool
    let write: @Sendable (PlayerState, inout JSONWriter) -> Void

    private init<Value: Equatable & SendableMetatype>(
        _ name: String, _ value: @escaping @Sendable (PlayerState) -> Value, _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.name = name
        differs = { value($0) != value($1) }
        self.write = { state, writer in write(value(state), &writer) }
    }
    /// A member that is absent if `value` returns nil.
    private init<Value: Equatable & SendableMetatype>(
        _ name: String, ifPresent value: @escaping @Sendable (PlayerState) -> Value?,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.init(name, value) { value, writer in
            if let value { writer.member(name, object: { write(value, &$0) }) }
        }
    }
    private init(_ name: String, _ value: @escaping @Sendable (PlayerState) -> Double) { self.init(name, value) { $1.member(name, $0) } }
    private init(_ name: String, _ value: @escaping @Sendable (PlayerState) -> Bool) { self.init(name, value) { $1.member(name, $0) } }
    private init(_ name: String, _ value: @escaping @Sendable (PlayerState) -> String) { self.init(name, value) { $1.member(name, $0) } }

    /// All members in their order; `epoch` and `revision` precede them.
    static let all: [StateMember] = [
        StateMember("status") { $0.status.name },
        StateMember("rate") { $0.rate },
        StateMember("defaultRate") { $0.defaultRate },
        StateMember("timeControlStatus") { $0.timeControlStatus.name },
        StateMember("reasonForWaitingToPlay") { $0.reasonForWaitingToPlay?.name ?? "none" },
        StateMember("ended") { $0.ended },
        StateMember("anchor", { $0.anchor }) { $1.member("anchor", object: $0.write) },
        StateMember("isPositionEstimated", { $0.isPositionEstimated }) { if $0 { $1.member("isPositionEstimated", true) } },
        StateMember("volume") { $0.volume },
        StateMember("isMuted") { $0.isMuted },
        StateMember("automaticallyWaitsToMinimizeStalling") { $0.automaticallyWaitsToMinimizeStalling },
        StateMember("actionAtItemEnd") { $0.actionAtItemEnd.name },
        StateMember("audioTimePitchAlgorithm") { $0.audioTimePitchAlgorithm.rawValue },
        StateMember("repeatMode") { $0.repeatMode.rawValue },
        StateMember("isShuffled") { $0.isShuffled },
        StateMember("isConsuming") { $0.isConsuming },
        StateMember("crossfadeDuration") { $0.crossfadeDuration },
        StateMember("loudnessNormalization") { $0.loudnessNormalization.rawValue },
        StateMember("sleepTimer", { $0.sleepTimer }) { $1.member("sleepTimer", object: $0.write) },
        StateMember("output", { $0.output }) { $1.member("output", object: $0.write) },
        StateMember("audioSession", { $0.audioSession }) { $1.member("audioSession", object: $0.write) },
        StateMember("lastChange", { $0.lastChange }) { $1.member("lastChange", object: $0.write) },
        StateMember("lastPause", ifPresent: { $0.lastPause }) { $0.write(&$1) },
        StateMember("scheduledStart", ifPresent: { $0.scheduledStart }) { $0.write(&$1) },
        StateMember("loop", ifPresent: { $0.loop }) { $0.write(&$1) },
        StateMember("fade", ifPresent: { $0.fade }) { $0.write(&$1) },
        StateMember("network", ifPresent: { $0.network }) { $0.write(&$1) },
        StateMember("seek", ifPresent: { $0.seek }) { $0.write(&$1) },
        StateMember("queue", { $0.queue }) { $1.member("queue", object: $0.write) },
        StateMember("persistence", { $0.persistence }) { $1.member("persistence", object: $0.write) },
        StateMember("currentItem", ifPresent: { $0.currentItem }) { $0.write(&$1) },
        StateMember("signalPath", ifPresent: { $0.signalPath }) { $0.write(&$1) },
        StateMember("nextEntry", ifPresent: { $0.nextEntry }) { $0.write(&$1) },
    ]
}

extension PlayerState {
    func json(epoch: String, revision: Int) -> [UInt8] {
        JSONWriter.object(capacity: 1536) { writer in
            writer.member("epoch", epoch)
            writer.member("revision", revision)
            for member in StateMember.all { member.write(self, &writer) }
        }
    }

    func changedMembers(since other: PlayerState) -> [String] { StateMember.all.filter { $0.differs(self, other) }.map(\.name) }
}

extension PlayerState.Anchor {
    func write(_ writer: inout JSONWriter) {
        writer.member("time", time)
        writer.member("hostTime", hostTime)
        writer.member("rate", rate)
    }
}

extension PlayerState.Output {
    func write(_ writer: inout JSONWriter) {
        writer.member("kind", kind.wireName)
        writer.member("id", id)
        writer.member("name", name)
        if let error { writer.member("error", object: error.write) }
    }
}

extension PlayerState.SleepTimer {
    func write(_ writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        writer.member("hostTime", ifPresent: hostTime)
        writer.member("remainingItems", ifPresent: remainingItems)
    }
}

extension PlayerState.AudioSessionSummary {
    func write(_ writer: inout JSONWriter) {
        writer.member("category", category.name)
        writer.member("isActive", isActive)
        writer.member("isInterrupted", isInterrupted)
        writer.member("silence", ifPresent: silence?.rawValue)
    }
}

extension PlayerState.Persistence {
    func write(_ writer: inout JSONWriter) {
        writer.member("isKept", isKept)
        if let error { writer.member("error", object: error.write) }
    }
}

extension PersistenceFailure {
    func write(_ writer: inout JSONWriter) {
        writer.member("code", code.rawValue)
        writer.member("message", message)
    }
}

extension PlayerState.Change {
    func write(_ writer: inout JSONWriter) {
        writer.member("reason", reason.rawValue)
        writer.member("origin", origin)
    }
}

extension PlayerState.Pause {
    func write(_ writer: inout JSONWriter) {
        writer.member("reason", reason.rawValue)
        writer.member("origin", origin)
        writer.member("hostTime", hostTime)
        writer.member("silence", ifPresent: silence?.rawValue)
    }
}

extension PlayerState.ScheduledStart {
    func write(_ writer: inout JSONWriter) {
        writer.member("hostTime", hostTime)
        writer.member("date", ifPresent: date.map { RFC3339.text($0) })
    }
}

extension PlayerState.Fade {
    func write(_ writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("seconds", seconds)
        writer.member("hostTime", ifPresent: hostTime)
    }
}

extension PlayerState.Network {
    func write(_ writer: inout JSONWriter) {
        writer.member("error", object: error.write)
        writer.member("attempt", attempt)
        writer.member("retryHostTime", retryHostTime)
    }
}

extension PlayerState.Seek {
    func write(_ writer: inout JSONWriter) {
        writer.member("target", target)
        writer.member("progress", progress)
    }
}

extension PlayerState.QueuePosition {
    func write(_ writer: inout JSONWriter) {
        writer.member("revision", revision)
        writer.member("count", count)
        writer.member("index", index)
    }
}

extension PlayerState.Failure {
    func write(_ writer: inout JSONWriter) {
        writer.member("code", code.rawValue)
        writer.member("message", message)
        guard let reason else { return }
        writer.member("reason", reason.rawValue)
        writer.member("advice", reason.advice)
    }
}

extension PlayerState.Format {
    func write(_ writer: inout JSONWriter) {
        writer.member("fileType", fileType)
        writer.member("codec", codec)
        writer.member("sampleRate", sampleRate)
        writer.member("channels", channels)
        writer.member("bitsPerSample", ifPresent: bitsPerSample)
        writer.member("bitRate", ifPresent: bitRate)
    }
}

extension PlayerState.SignalPath {
    func write(_ writer: inout JSONWriter) {
        writer.member(
            "source",
            object: { writer in
                source.write(&writer)
                writer.member("bitsPerSample", ifPresent: bitsPerSample)
                writer.member("codec", codec)
                writer.member("isLossless", isLossless)
            })
        writer.member(
            "output",
            object: { writer in
                output.write(&writer)
                writer.member("sampleFormat", "float32")
            })
        if let device {
            writer.member(
                "device",
                object: { writer in
                    writer.member("sampleRate", device.sampleRate)
                    writer.member("channels", device.channels)
                    writer.member("bitsPerSample", ifPresent: device.bitsPerSample)
                })
        }
        writer.member("steps", array: steps) { writer, step in writer.object(step.write) }
        let judgement = self.judgement
        writer.member("verdict", judgement.verdict.rawValue)
        writer.member("reason", ifPresent: judgement.reason?.rawValue)
        writer.member("isUnchanged", isUnchanged)
        writer.member("isResampled", isResampled)
        writer.member("isMixedDown", isMixedDown)
        writer.member("loudnessGain", loudnessGain)
        writer.member("timePitchAlgorithm", ifPresent: timePitchAlgorithm?.rawValue)
        writer.member("volume", volume)
    }
}

extension PlayerState.SignalPath.Step {
    func write(_ writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        switch self {
        case .mix(let from, let to), .resample(let from, let to), .serverResample(let from, let to), .serverMix(let from, let to):
            writer.member("from", from)
            writer.member("to", to)
        case .round(let bits), .dither(let bits): writer.member("to", bits)
        case .loudness(let gain), .headroom(let gain): writer.member("gain", gain)
        case .crossfade(let seconds): writer.member("seconds", seconds)
        case .timeStretch(let algorithm): writer.member("algorithm", algorithm.rawValue)
        case .volume(let volume): writer.member("volume", volume)
        }
    }
}

extension PlayerState.SignalPath.Format {
    func write(_ writer: inout JSONWriter) {
        writer.member("sampleRate", sampleRate)
        writer.member("channels", channels)
    }
}

extension PlayerState.NextEntry {
    func write(_ writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("url", url)
        writer.member("title", ifPresent: title)
        writer.member("artist", ifPresent: artist)
        writer.member("duration", ifPresent: duration)
    }
}

extension PlayerState.Item {
    func write(_ writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("url", url)
        writer.member("status", status.name)
        if let error { writer.member("error", object: error.write) }
        writer.member("title", ifPresent: title)
        writer.member("artist", ifPresent: artist)
        if !artists.isEmpty { writer.member("artists", array: artists) { $0.string($1) } }
        writer.member("album", ifPresent: album)
        writer.member("genre", ifPresent: genre)
        if !genres.isEmpty { writer.member("genres", array: genres) { $0.string($1) } }
        writer.member("streamTitle", ifPresent: streamTitle)
        writer.member("stationName", ifPresent: stationName)
        writer.member("duration", ifPresent: duration)
        writer.member("isLive", isLive)
        writer.member("isSeekable", isSeekable)
        writer.member("hasArtwork", hasArtwork)
        if let format { writer.member("format", object: format.write) }
        writer.member("startTime", ifPresent: startTime)
        writer.member("addedBy", ifPresent: addedBy)
        writer.member("publicationDate", ifPresent: publicationDate.map(RFC3339.text))
    }
}
