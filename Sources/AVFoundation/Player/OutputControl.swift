import Platform
public import PlaybackEngine

/// Performs what `OutputPolicy` decides for a player: opens outputs, watches drivers, and interrupts the session while nobody can hear.
@Turn final class OutputControl {
    private let drivers: [OutputDriver]
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private var policy: OutputPolicy
    private weak var player: AVPlayer?
    /// The providers that were made, because a provider knows more of its output with each opening.
    private var providers: [OutputPolicy.Target: any OutputProvider] = [:]
    private var watches: [String: any Sendable] = [:]
    /// The events that wait for the end of the present one, whose effects have caused them.
    private var events: [OutputPolicy.Event] = []
    private var isHandling = false

    nonisolated init(_ environment: PlaybackEnvironment) {
        drivers = environment.outputs
        clock = environment.clock
        scheduler = environment.scheduler
        policy = OutputPolicy(
            drivers: environment.outputs.map(\.traits), wish: environment.output, patience: environment.outputPatience,
            watchesWhileIdle: environment.watchesIdleOutput)
    }

    var wish: OutputWish { policy.wish }
    var reason: SilenceReason? { policy.reason }

    func start(for player: AVPlayer) {
        self.player = player
        handle(.started)
    }

    func stop() {
        if let player { player.session.forget(player) }
        player = nil
        watches = [:]
    }

    /// The output that the engine opens when it has the format of the first item.
    func engineWillStart() -> (any OutputProvider)? {
        handle(.needed)
        return policy.target.flatMap { provider(of: $0) }
    }

    // MARK: Events

    func didOpen(_ output: OutputDescription, isAudible: Bool, by cause: OutputChangeCause) {
        handle(.opened(OutputPolicy.Target(driver: output.kind, device: output.id), isAudible: isAudible, by: cause))
    }

    /// Handles the requests of the sound server to pause and to continue (R-LNX-25, R-LNX-26). Other stream events are ignored (R-LNX-04). PipeWire
    /// sends none (R-LNX-05).
    func receive(_ signal: StreamSignal) {
        switch signal {
        case .event("request-cork"):
            // R-LNX-21: an ambient session is not interrupted, because the sound server mutes its streams itself.
            handle(.corked(true, interrupts: player?.session.settings.category != .ambient))
        case .event("request-uncork"): handle(.corked(false))
        case .suspended(let isSuspended): handle(.suspended(isSuspended))
        case .event: break
        }
    }

    /// Turns a rate that was requested while nobody can hear into an interruption. `AVPlayer.apply` calls it after each event, so that no player plays
    /// to nobody.
    func keepSilent() {
        guard policy.reason != nil, let player, player.machine.rate != 0 else { return }
        player.session.beginInterruption(by: player, isRequested: true)
        player.apply(.interrupted)
        handle(.playbackRequested)
    }

    func handle(_ event: OutputPolicy.Event) {
        guard let player else { return }
        Turn.keep(player)
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty { decide(events.removeFirst()) }
        isHandling = false
    }

    private func decide(_ event: OutputPolicy.Event) {
        guard let player else { return }
        var next = policy
        let effects = next.handle(event, at: clock.now)
        let former = policy
        player.hub.change(next.reason != former.reason ? [.silenceReason] : []) { policy = next }
        // Whether the stream has to make way for another program (R-HINT-01).
        if next.isCorked != former.isCorked { player.session.makeWay(next.isCorked, for: player) }
        // A file that cannot be written is no loss of the media services.
        if event == .lost, next.reason != .writeFailed { player.session.outputWasLost(by: player) }
        for effect in effects { perform(effect, on: player) }
        if case .opened = event { player.session.outputIsOpen(by: player) }
    }

    // MARK: Effects

    private func perform(_ effect: OutputPolicy.Effect, on player: AVPlayer) {
        switch effect {
        case .interrupt: player.session.beginInterruption(by: player)
        case .endInterruption(let shouldResume): player.session.endInterruption(by: player, shouldResume: shouldResume)
        case .open(let target, let cause):
            if let provider = provider(of: target) { player.engine.post(.openOutput(provider, by: cause)) }
        case .watch(let wanted): watch(wanted)
        case .adopt(let volume, let isMuted): player.adopt(volume: volume, isMuted: isMuted)
        case .stop: player.apply(.outputFailed)
        }
    }

    private func provider(of target: OutputPolicy.Target) -> (any OutputProvider)? {
        if let known = providers[target] { return known }
        let made = drivers.first { $0.id == target.driver }?.provider(target.device)
        providers[target] = made
        return made
    }

    private func watch(_ wanted: Set<String>) {
        watches = watches.filter { wanted.contains($0.key) }
        for driver in drivers where wanted.contains(driver.id) && watches[driver.id] == nil {
            let receive: @MainActor @Sendable (OutputPresence) -> Void = { [weak self, id = driver.id] presence in
                Turn.perform { self?.handle(.presence(driver: id, presence)) }
            }
            watches[driver.id] = driver.watch?({ [scheduler] presence in scheduler.async { receive(presence) } })
        }
    }
}

extension AVPlayer {
    /// The output that was chosen last; by default that of the environment. Not in Apple's API.
    public nonisolated var wantedOutput: OutputWish { Turn.perform { outputControl.wish } }

    /// Moves playback to another output, without a change of the position. The choice is kept while the output is away: the session is interrupted
    /// meanwhile, and playback resumes when it is back. If the output cannot be opened while another one plays, that one continues. Not in Apple's API.
    public nonisolated func setOutput(_ wish: OutputWish) { turn { outputControl.handle(.wished(wish)) } }

    /// Why nobody can hear the player, whose session is interrupted then; nil if it can be heard, or has not been needed yet. Observable. Not in Apple's
    /// API.
    public nonisolated var silenceReason: SilenceReason? { read(.silenceReason) { outputControl.reason } }

    /// Interrupts the session while the machine sleeps. A program calls it that knows of the sleep, for example from logind. Not in Apple's API.
    public nonisolated func setMachineAsleep(_ isAsleep: Bool) { turn { outputControl.handle(.asleep(isAsleep)) } }

    /// Takes over the volume and the mute that another program has given the stream; nil leaves the mute unchanged. The engine knows the volume
    /// already, so it is not sent again.
    @Turn func adopt(volume: Float, isMuted: Bool?) {
        let isNewVolume = volume != engine.settings.volume
        if isNewVolume { hub.change([.volume]) { engine.change { $0.volume = volume } } }
        let isNewMute = isMuted.map { $0 != engine.isMuted } ?? false
        if isNewMute, let isMuted { configure(.isMuted) { $0.isMuted = engine.mute(byUser: isMuted) } }
        if isNewVolume || isNewMute { notify(.volumeAdopted) }
    }
}
