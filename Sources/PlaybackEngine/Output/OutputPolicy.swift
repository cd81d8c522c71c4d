public import Platform

/// The output that a user wants. Only the user changes it: it stays the same while the output is away.
public enum OutputWish: Sendable, Hashable {
    /// The first of the automatic drivers that is present.
    case automatic
    /// `device` is the `OutputDescription.id` of the device; nil for the default device of the driver.
    case output(driver: String, device: String? = nil)
}

/// Whether the devices of a driver can be opened.
public enum OutputPresence: Sendable, Hashable {
    case absent
    /// The `OutputDescription.id` of each device.
    case present(devices: Set<String>)
}

/// Why nobody can hear the player, in the order in which reasons are reported if there are several.
public enum SilenceReason: String, Sendable, Hashable, CaseIterable {
    /// The machine sleeps, or is about to.
    case systemSleep
    /// The file of the output cannot be written.
    case writeFailed
    /// The sound server, or the device that the user wants, is absent.
    case noOutput
    /// The sound server has no device, and plays into its placeholder.
    case noDevice
    /// Another program has suspended the device.
    case deviceSuspended
    /// The sound server has muted the player in favour of another program, for example for a call.
    case otherAudio
}

/// All decisions about a player's output, as a value: which output is opened, whether time runs, and what is said about it.
///
/// While nobody can hear the player, the session is interrupted, so that time stands still. A null or a file output counts as heard, and is opened
/// only if the user wants it. There is no timer: when the output returns, `patience` decides whether playback resumes.
public struct OutputPolicy: Sendable, Hashable {
    public struct Driver: Sendable, Hashable {
        public let id: String
        /// Whether the wish `automatic` may open it.
        public let isAutomatic: Bool
        /// Whether it can be absent. What a driver plays that cannot is never heard by anybody, and counts as heard.
        public let comesAndGoes: Bool

        public init(id: String, isAutomatic: Bool, comesAndGoes: Bool) {
            (self.id, self.isAutomatic, self.comesAndGoes) = (id, isAutomatic, comesAndGoes)
        }
    }

    /// A driver and its device; `device` is nil for the default device.
    public struct Target: Sendable, Hashable {
        public var driver: String
        public var device: String?
        public init(driver: String, device: String? = nil) { (self.driver, self.device) = (driver, device) }
    }

    public enum Event: Sendable, Hashable {
        /// The policy begins to work.
        case started
        case wished(OutputWish)
        /// A watched driver has been looked for, or its devices have changed.
        case presence(driver: String, OutputPresence)
        /// The engine has started, and opens the target by itself when it needs it.
        case needed
        /// An output was opened, or the device of the open one has changed.
        case opened(Target, isAudible: Bool, by: OutputChangeCause)
        /// The open output has failed, and is closed.
        case lost
        /// The target could not be opened, and no output is open.
        case unavailable
        /// The target could not be opened, and the former output stays open.
        case refused
        /// The sound server has muted the stream in favour of another program, or ended that.
        /// `interrupts` is false for a player that plays on without being heard.
        case corked(Bool, interrupts: Bool = true)
        case suspended(Bool)
        case asleep(Bool)
        /// A rate was requested while nobody can hear.
        case playbackRequested
        /// Another program has set the volume or the mute of the stream.
        case volumeReported(Float, isMuted: Bool)
    }

    /// The effects, which are performed in their order.
    public enum Effect: Sendable, Hashable {
        case interrupt(SilenceReason)
        case endInterruption(shouldResume: Bool)
        case open(Target, by: OutputChangeCause)
        /// Watches exactly these drivers from now on. Each reports its presence at once.
        case watch(Set<String>)
        /// Makes the volume of the stream the volume of the player. `isMuted` is nil if the mute is not the user's.
        case adopt(volume: Float, isMuted: Bool?)
        /// Stops playback for good: the file cannot be written.
        case stop
    }

    /// The longest absence after which playback resumes, in seconds.
    public static let standardPatience = 600.0

    /// An output that is lost within this time after its opening, in seconds, has failed at once.
    private static let shortestUse = 1.0
    /// The number of failures at once in a row, after which an output is opened only after a sign. A server that restarts causes one or two.
    private static let mostFailures = 3

    private let drivers: [Driver]
    private let patience: Double
    /// Whether the driver is watched before the first opening, so that `reason` is known then.
    private let watchesWhileIdle: Bool
    public private(set) var wish: OutputWish
    /// What watched drivers have reported.
    private var presence: [String: OutputPresence] = [:]
    /// The driver that has played by the wish `automatic`. It is kept while it is away, so that ALSA does not take the card from a sound server that
    /// restarts.
    private var settled: String?
    /// The automatic drivers that could not be opened since the last success.
    private var refused: Set<String> = []
    private var open: Open?
    /// How often in a row the output has failed at once.
    private var failures = 0
    /// Whether an opening was requested whose result is not known yet.
    private var isOpening = false
    /// Whether the driver was found to be present during the opening, which then may have come too early.
    private var wasFoundWhileOpening = false
    private var isNeeded = false
    /// Whether the last output was lost, or could not be opened.
    private var hasFailed = false
    /// Whether another output is open than the wanted one, because that was removed or refused, and not because a user has moved the stream.
    private var isDisplaced = false
    private var isBroken = false
    /// Whether the sound server asks the player to make way for another program.
    public private(set) var isCorked = false
    private var interruptsWhileCorked = true
    /// Whether the stream was reported to be muted since the cork.
    private var isMutedByServer = false
    private var isSuspended = false
    private var isAsleep = false
    private var watched: Set<String> = []
    /// The time since which nobody can hear; nil while the player can be heard.
    private var silentSince: HostTime?
    /// Whether an output was missing since `silentSince`, so that `patience` applies.
    private var wasAbsent = false

    private struct Open: Sendable, Hashable {
        var target: Target
        var isHeard: Bool
        /// When the stream was opened.
        var start: HostTime
    }

    public init(drivers: [Driver], wish: OutputWish = .automatic, patience: Double = standardPatience, watchesWhileIdle: Bool = false) {
        self.drivers = drivers
        self.wish = wish
        self.patience = patience
        self.watchesWhileIdle = watchesWhileIdle
    }

    // MARK: Questions

    /// Why nobody can hear the player; nil if the player can be heard, or nothing is known yet.
    public var reason: SilenceReason? {
        if isAsleep { return .systemSleep }
        if isBroken { return .writeFailed }
        if open == nil, hasFailed || (!isNeeded && isKnownAbsent) { return .noOutput }
        if open?.isHeard == false { return .noDevice }
        if isSuspended { return .deviceSuspended }
        return isCorked && interruptsWhileCorked ? .otherAudio : nil
    }

    /// The output that is opened next; nil without drivers.
    public var target: Target? {
        switch wish {
        case .output(let id, let device): return driver(id).map { Target(driver: $0.id, device: device) }
        case .automatic:
            let candidates = automaticDrivers
            let better = candidates.prefix { $0.id != settled }.first { isPresent(Target(driver: $0.id)) }
            let usable = candidates.filter { !refused.contains($0.id) }
            let chosen = better?.id ?? settled ?? usable.first { presence[$0.id] != .absent }?.id ?? usable.first?.id ?? candidates.first?.id
            return chosen.map { Target(driver: $0) }
        }
    }

    private var automaticDrivers: [Driver] { drivers.filter(\.isAutomatic) }
    private func driver(_ id: String) -> Driver? { drivers.first { $0.id == id } }
    private func comesAndGoes(_ id: String) -> Bool { driver(id)?.comesAndGoes ?? false }

    private func isPresent(_ target: Target) -> Bool {
        guard case .present(let devices)? = presence[target.driver] else { return false }
        return target.device.map { devices.contains($0) } ?? true
    }

    /// Whether what the user wants was looked for, and not found.
    private var isKnownAbsent: Bool {
        switch wish {
        case .output(let id, let device):
            guard presence[id] != nil else { return false }
            return !isPresent(Target(driver: id, device: device))
        case .automatic:
            let candidates = automaticDrivers
            return !candidates.isEmpty && candidates.allSatisfy { presence[$0.id] == .absent }
        }
    }

    /// Whether what the user wants is open or being opened, or is opened by the engine when it needs it.
    private var isFulfilled: Bool {
        guard let open, case .output(let id, let device) = wish else { return open != nil || isOpening || !isNeeded }
        return isOpening || open.target.driver == id && (device == nil || open.target.device == device)
    }

    // MARK: Events

    public mutating func handle(_ event: Event, at now: HostTime) -> [Effect] {
        var effects: [Effect] = []
        var opening: OutputChangeCause?
        switch event {
        case .started: break
        case .wished(let new):
            // The same wish again changes nothing while it is fulfilled.
            guard new != wish || !isFulfilled else { return [] }
            wish = new
            (settled, refused, isDisplaced, isBroken, failures) = (nil, [], false, false, 0)
            if isNeeded { opening = .chosen }
        case .presence(let id, let found):
            guard watched.contains(id) else { return [] }
            let isChange = presence.updateValue(found, forKey: id) != nil
            if found != .absent { refused.remove(id) }
            // That an output is there which fails at once is no sign.
            if isChange || failures < Self.mostFailures { opening = openingAfterPresence() }
        case .needed:
            guard !isNeeded else { return [] }
            (isNeeded, hasFailed) = (true, isKnownAbsent)
        case .opened(let new, let isAudible, let cause): didOpen(new, isAudible: isAudible, by: cause, at: now)
        case .lost:
            if let open { failures = now - open.start > Self.shortestUse ? 0 : failures + 1 }
            (open, isCorked, isMutedByServer, isSuspended, isDisplaced, hasFailed, isNeeded) = (nil, false, false, false, false, true, true)
            if !isOpening, failures < Self.mostFailures { opening = .lost }
        case .unavailable: opening = openingAfterFailure()
        case .refused:
            isOpening = false
            if wish != .automatic { isDisplaced = true }
        case .corked(let isCorked, let interrupts):
            (self.isCorked, isMutedByServer, interruptsWhileCorked) = (isCorked, false, interrupts)
        case .suspended(let isSuspended): self.isSuspended = isSuspended
        case .asleep(let isAsleep):
            self.isAsleep = isAsleep
            if hasFailed, !isOpening { opening = .lost }
        case .playbackRequested:
            if silentSince != nil { silentSince = now }
            failures = 0
            if hasFailed, !isOpening { opening = .lost }
        case .volumeReported(let volume, let isMuted):
            // The server ends its mute in any case, but asks only a paused stream to resume. A report from before its mute says nothing.
            if isMuted { isMutedByServer = isCorked } else if isMutedByServer { (isCorked, isMutedByServer) = (false, false) }
            effects.append(.adopt(volume: volume, isMuted: isCorked ? nil : isMuted))
        }
        if opening != nil, hasFailed, let target, !comesAndGoes(target.driver), event == .lost || event == .unavailable {
            // An output that is always there has failed: a file that cannot be written.
            (isBroken, opening) = (true, nil)
            effects.append(.stop)
        }
        settleInterruption(at: now, &effects)
        if let opening, let target, !isBroken {
            (isOpening, wasFoundWhileOpening) = (true, false)
            effects.append(.open(target, by: opening))
        }
        settleWatches(&effects)
        return effects
    }

    private mutating func didOpen(_ new: Target, isAudible: Bool, by cause: OutputChangeCause, at now: HostTime) {
        let isNewStream = cause != .moved && cause != .removed
        if isNewStream {
            // The reasons that belonged to the former stream have ended with it.
            (isCorked, isMutedByServer, isSuspended, isOpening, hasFailed, isNeeded) = (false, false, false, false, false, true)
            refused = []
            // An output that is opened again in another format stays where it is.
            if cause != .opened { isDisplaced = false }
        }
        let start = isNewStream ? now : open?.start ?? now
        open = Open(target: new, isHeard: isAudible || !comesAndGoes(new.driver), start: start)
        switch wish {
        case .automatic: if automaticDrivers.contains(where: { $0.id == new.driver }) { settled = new.driver }
        case .output(_, let device?):
            if new.device == device || cause == .moved { isDisplaced = false } else if cause == .removed { isDisplaced = true }
        case .output: break
        }
    }

    /// The cause of an opening, if one has become possible or better.
    private mutating func openingAfterPresence() -> OutputChangeCause? {
        guard isNeeded, let target, isPresent(target) else { return nil }
        if isOpening {
            wasFoundWhileOpening = true
            return nil
        }
        guard let open else { return hasFailed ? .found : nil }
        return isDisplaced || open.target.driver != target.driver ? .found : nil
    }

    private mutating func openingAfterFailure() -> OutputChangeCause? {
        let former = target
        (isOpening, isNeeded) = (false, true)
        guard open == nil else { return nil }
        hasFailed = true
        if wasFoundWhileOpening { return .lost }
        if let former, !comesAndGoes(former.driver) { return .lost }
        guard wish == .automatic, settled == nil, let former else { return nil }
        refused.insert(former.driver)
        return target.map { !refused.contains($0.driver) } == true ? .opened : nil
    }

    // MARK: Settling

    private mutating func settleInterruption(at now: HostTime, _ effects: inout [Effect]) {
        if let reason {
            if reason == .noOutput || reason == .noDevice { wasAbsent = true }
            guard silentSince == nil else { return }
            silentSince = now
            effects.append(.interrupt(reason))
        } else if let since = silentSince {
            let isLate = wasAbsent && now - since > patience
            (silentSince, wasAbsent) = (nil, false)
            effects.append(.endInterruption(shouldResume: !isLate))
        }
    }

    private mutating func settleWatches(_ effects: inout [Effect]) {
        let new = Set(driversToWatch.filter(\.comesAndGoes).map(\.id))
        guard new != watched else { return }
        watched = new
        presence = presence.filter { new.contains($0.key) }
        effects.append(.watch(new))
    }

    private var driversToWatch: [Driver] {
        guard !isBroken else { return [] }
        if let open {
            switch wish {
            // A better driver may appear.
            case .automatic: return Array(automaticDrivers.prefix { $0.id != open.target.driver })
            case .output(let id, _): return isDisplaced ? drivers.filter { $0.id == id } : []
            }
        }
        guard isNeeded ? hasFailed : watchesWhileIdle else { return [] }
        switch wish {
        case .automatic:
            guard let rank = automaticDrivers.firstIndex(where: { $0.id == settled }) else { return automaticDrivers }
            return Array(automaticDrivers.prefix(rank + 1))
        case .output(let id, _): return drivers.filter { $0.id == id }
        }
    }
}
