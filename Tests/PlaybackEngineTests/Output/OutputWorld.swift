import Platform
import PlaybackEngine

/// A machine with a sound server, devices, an ideal engine and a player, in virtual time. It performs the effects of an `OutputPolicy`, and knows what
/// can really be heard.
struct OutputWorld {
    /// An act of the user, of another program or of the machine.
    enum Step: Hashable {
        case play, pause
        case choose(OutputWish)
        case serverGoes, serverComes
        /// The server ends the stream, for example because an administrator has killed it.
        case streamIsKilled
        case unplug(String), plug(String)
        case move(String)
        case suspend, resume
        case callBegins, callEnds
        /// The call ends before the server knows that the stream is paused: it unmutes the stream, and does not ask it to resume.
        case callEndsSoon
        case sleep, wake
        case mixer(Float), mixerMutes(Bool)
        case volume(Float)
        case otherRate
        case diskFills
        case wait(Double)

        var isWait: Bool { if case .wait = self { true } else { false } }
    }

    static let placeholder = "auto_null"
    private static let drivers = [
        OutputPolicy.Driver(id: "pulse", isAutomatic: true, comesAndGoes: true),
        OutputPolicy.Driver(id: "alsa", isAutomatic: true, comesAndGoes: true),
        OutputPolicy.Driver(id: "null", isAutomatic: false, comesAndGoes: false),
        OutputPolicy.Driver(id: "file", isAutomatic: false, comesAndGoes: false),
    ]

    private(set) var policy: OutputPolicy
    private(set) var now = HostTime(seconds: 1_000)

    // The machine.
    private var isServerUp: Bool
    /// The devices of the server; the first is the default.
    private var devices = ["speakers", "dac"]
    private let hasCard: Bool
    private var isSuspended = false
    private var isInCall = false
    private var isAsleep = false
    private var isDiskFull = false

    // The stream.
    private(set) var stream: OutputPolicy.Target?
    private var isCorked = false
    private(set) var streamVolume: Float = 1
    private(set) var isStreamMuted = false

    // The player.
    private(set) var rate = 0
    private var resumes = false
    private(set) var isInterrupted = false
    private(set) var volume: Float = 1
    private(set) var isMuted = false
    private(set) var openings: [OutputPolicy.Target] = []
    /// Whether the player has played while nobody could hear it, at the end of a step.
    private(set) var hasPlayedToNobody = false
    private var watched: Set<String> = []
    private var events: [OutputPolicy.Event] = []
    private var isHandling = false

    init(_ wish: OutputWish = .automatic, isServerUp: Bool = true, hasCard: Bool = false) {
        policy = OutputPolicy(drivers: Self.drivers, wish: wish)
        self.isServerUp = isServerUp
        self.hasCard = hasCard
        send(.started)
        send(.needed)
        if let target = policy.target { open(target, by: .opened) }
    }

    // MARK: What can be heard

    private var isHeard: Bool {
        guard let stream, !isAsleep else { return false }
        switch stream.driver {
        case "pulse": return isServerUp && stream.device != Self.placeholder && !isSuspended && !isCorked
        case "alsa": return hasCard
        default: return !(stream.driver == "file" && isDiskFull)
        }
    }

    /// What a client would show: whether it plays, on what, and why not.
    var summary: String {
        let place = stream.map { [$0.driver, $0.device].compactMap { $0 }.joined(separator: ":") } ?? "nothing"
        let status = rate == 1 ? "plays" : resumes ? "waits" : "paused"
        return [status, "on", place, policy.reason.map { "(\($0.rawValue))" }].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the wanted output is open, and can be heard. A full disk fulfils no wish for a file.
    var isFulfilled: Bool {
        switch policy.wish {
        case .automatic: policy.reason == nil && stream?.driver == "pulse"
        case .output("file", _) where isDiskFull: true
        case .output(let driver, _): policy.reason == nil && stream?.driver == driver
        }
    }

    // MARK: Steps

    mutating func perform(_ step: Step) {
        switch step {
        case .play:
            rate = 1
            resumes = false
            keepSilent()
        case .pause: (rate, resumes) = (0, false)
        case .choose(let wish): send(.wished(wish))
        case .serverGoes:
            guard isServerUp else { break }
            (isServerUp, isSuspended) = (false, false)
            if stream?.driver == "pulse" { lose() }
            report("pulse")
        case .serverComes:
            guard !isServerUp else { break }
            isServerUp = true
            report("pulse")
        case .streamIsKilled: if stream?.driver == "pulse" { lose() }
        case .unplug(let device):
            guard devices.contains(device) else { break }
            devices.removeAll { $0 == device }
            if stream == OutputPolicy.Target(driver: "pulse", device: device) { moveStream(to: defaultDevice, by: .removed) }
            report("pulse")
        case .plug(let device):
            guard !devices.contains(device) else { break }
            devices.append(device)
            // The server moves streams away from its placeholder.
            if stream?.device == Self.placeholder { moveStream(to: device, by: .moved) }
            report("pulse")
        case .move(let device): if stream?.driver == "pulse", devices.contains(device) { moveStream(to: device, by: .moved) }
        case .suspend: suspend(true)
        case .resume: suspend(false)
        case .callBegins:
            isInCall = true
            cork()
        case .callEnds, .callEndsSoon:
            isInCall = false
            guard isCorked else { break }
            (isCorked, isStreamMuted) = (false, isMuted)
            if step == .callEnds { send(.corked(false)) }
            send(.volumeReported(streamVolume, isMuted: isStreamMuted))
        case .sleep:
            isAsleep = true
            send(.asleep(true))
        case .wake:
            isAsleep = false
            send(.asleep(false))
        case .mixer(let volume): if stream?.driver == "pulse" { mix(volume, isMuted: isStreamMuted) }
        case .mixerMutes(let isMuted): if stream?.driver == "pulse" { mix(streamVolume, isMuted: isMuted) }
        case .volume(let new): (volume, streamVolume) = (new, new)
        case .otherRate: if let stream { connect(stream, by: .opened) }
        case .diskFills:
            isDiskFull = true
            if stream?.driver == "file" { lose() }
        case .wait(let seconds): now = now + seconds
        }
        if rate == 1, !isHeard { hasPlayedToNobody = true }
    }

    private var defaultDevice: String { devices.first ?? Self.placeholder }

    private mutating func mix(_ volume: Float, isMuted: Bool) {
        (streamVolume, isStreamMuted) = (volume, isMuted)
        // A mixer can end the mute of a call, and then the stream is heard.
        if !isMuted { isCorked = false }
        send(.volumeReported(volume, isMuted: isMuted))
    }

    private mutating func suspend(_ isSuspended: Bool) {
        guard isServerUp, self.isSuspended != isSuspended else { return }
        self.isSuspended = isSuspended
        if stream?.driver == "pulse" { send(.suspended(isSuspended)) }
    }

    /// The server mutes a stream that plays, and requests a pause.
    private mutating func cork() {
        guard isInCall, stream?.driver == "pulse", !isCorked else { return }
        (isCorked, isStreamMuted) = (true, true)
        send(.corked(true))
        send(.volumeReported(streamVolume, isMuted: true))
    }

    private mutating func moveStream(to device: String, by cause: OutputChangeCause) {
        let target = OutputPolicy.Target(driver: "pulse", device: device)
        stream = target
        send(.opened(target, isAudible: device != Self.placeholder, by: cause))
    }

    private mutating func lose() {
        (stream, isCorked) = (nil, false)
        send(.lost)
    }

    // MARK: The engine

    private mutating func open(_ target: OutputPolicy.Target, by cause: OutputChangeCause) {
        openings.append(target)
        switch target.driver {
        case "pulse":
            guard isServerUp, target.device.map({ devices.contains($0) }) ?? true else { return refuse() }
            connect(OutputPolicy.Target(driver: "pulse", device: target.device ?? defaultDevice), by: cause)
        case "alsa":
            guard hasCard else { return refuse() }
            connect(OutputPolicy.Target(driver: "alsa", device: "default"), by: cause)
        default:
            guard !(target.driver == "file" && isDiskFull) else { return refuse() }
            connect(OutputPolicy.Target(driver: target.driver, device: ""), by: cause)
        }
    }

    private mutating func refuse() { send(stream == nil ? .unavailable : .refused) }

    /// Makes a stream, at the volume of the player.
    private mutating func connect(_ target: OutputPolicy.Target, by cause: OutputChangeCause) {
        stream = target
        (isCorked, streamVolume, isStreamMuted) = (false, volume, isMuted)
        let isAudible = target.driver == "alsa" || (target.driver == "pulse" && target.device != Self.placeholder)
        send(.opened(target, isAudible: isAudible, by: cause))
        if target.driver == "pulse", isSuspended { send(.suspended(true)) }
        cork()
    }

    // MARK: The player

    /// Handles an event, and those that its effects cause, in their order.
    private mutating func send(_ event: OutputPolicy.Event) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty {
            for effect in policy.handle(events.removeFirst(), at: now) { perform(effect) }
            keepSilent()
        }
        isHandling = false
    }

    private mutating func perform(_ effect: OutputPolicy.Effect) {
        switch effect {
        case .interrupt:
            isInterrupted = true
            interrupt()
        case .endInterruption(let shouldResume):
            isInterrupted = false
            if shouldResume, resumes { rate = 1 }
            resumes = false
        case .open(let target, let cause): open(target, by: cause)
        case .watch(let new):
            let added = new.subtracting(watched)
            watched = new
            for driver in added.sorted() { report(driver) }
        case .adopt(let new, let isMuted):
            volume = new
            if let isMuted { self.isMuted = isMuted }
        case .stop: (rate, resumes) = (0, false)
        }
    }

    /// The rule of `AVPlayer.apply`: a rate that is requested while nobody can hear becomes an interruption.
    private mutating func keepSilent() {
        guard rate == 1, policy.reason != nil else { return }
        interrupt()
        send(.playbackRequested)
    }

    private mutating func interrupt() {
        if rate == 1 { (rate, resumes) = (0, true) }
    }

    private mutating func report(_ driver: String) {
        guard watched.contains(driver) else { return }
        let isPresent = driver == "pulse" ? isServerUp : hasCard
        send(.presence(driver: driver, isPresent ? .present(devices: driver == "pulse" ? Set(devices) : ["default"]) : .absent))
    }
}
