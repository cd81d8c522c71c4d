public import Observation
import Platform

enum StateKey: Hashable, Sendable {
    case rate, defaultRate, timeControlStatus, reasonForWaitingToPlay, currentItem, status, error, volume, isMuted, actionAtItemEnd
    case automaticallyWaitsToMinimizeStalling, output, outputError, outputFormat, items, loudnessNormalization, headroom, outputRates
    case isPositionEstimated
    case duration, tracks, loadedTimeRanges, seekableTimeRanges, isPlaybackBufferEmpty, isPlaybackBufferFull, isPlaybackLikelyToKeepUp
    case connectionWait, seekProgress, timedMetadata, capabilities, mediaInfo, forwardPlaybackEndTime, audioTimePitchAlgorithm
    case category, mode, isActive, isInterrupted
    case reversePlaybackEndTime, loopTimeRange, timebase, liveOffset, loopCount, loopStatus, loopItems
    case currentRoute, sampleRate, preferences, silenceReason, otherAudio, outputVolume
}

/// The basis of all forms of observation: a getter calls `access`, and a change is made inside `change`. The hub reads an observed key path once and
/// records the properties that are read, as Swift's Observation does, so no table of the properties behind computed and compound key paths is
/// necessary.
@Turn final class StateHub {
    /// An observer that is notified when a property changes that it has read.
    @Turn class Observer {
        /// Raised when the observation has ended.
        nonisolated let isEnded = OneWayFlag()
        nonisolated init() {}
        /// Called before the change: the old value can still be read.
        func willChange() {}
        func didChange() {}
        /// Called when the program has set a property to the value that it has.
        func wasSetAgain() {}
    }
    private struct WeakObserver { weak var observer: Observer? }

    /// The properties that one evaluation of a key path has read.
    private final class Tracker {
        var accesses: [(hub: StateHub, key: StateKey)] = []
    }
    private static var tracker: Tracker?

    private var observers: [StateKey: [WeakObserver]] = [:]
    /// The observers that were added by the names of properties.
    private var named: [NamedObservation] = []

    /// Whether Swift's Observation tracks players, items and their objects (R-OBS-01).
    static var isObservationEnabled = false
    static var hadPlayers = false
    /// The registrar for Swift's Observation, made at the first use.
    private lazy var observed = ObservedProperties()

    nonisolated init() {}

    /// Records the access to a property.
    func access(_ key: StateKey) {
        Self.tracker?.accesses.append((self, key))
        if Self.isObservationEnabled { observed.access(key) }
    }

    /// Subscribes `observer`, which is not kept alive, to all properties that `read` reads.
    static func track<Value>(for observer: Observer, _ read: () -> Value) -> Value {
        let outer = tracker
        let own = Tracker()
        tracker = own
        let value = read()
        tracker = outer
        for (hub, key) in own.accesses { hub.subscribe(observer, to: key) }
        return value
    }

    private func subscribe(_ observer: Observer, to key: StateKey) {
        var list = observers[key, default: []]
        list.removeAll { $0.observer == nil }
        if !list.contains(where: { $0.observer === observer }) { list.append(WeakObserver(observer: observer)) }
        observers[key] = list
    }

    /// Makes a change, and notifies in the order of `keys`. The caller ensures that a value really changes (R-KVO-07).
    func change(_ keys: [StateKey], _ body: () -> Void) {
        let affected = keys.isEmpty ? [] : affectedObservers(keys)
        // Another thread may end an observation meanwhile, so that this is the last reference of the program's handler.
        if !affected.isEmpty { Turn.keep(affected) }
        for observer in affected { observer.willChange() }
        if Self.isObservationEnabled { for key in keys { observed.willChange(key) } }
        body()
        if Self.isObservationEnabled { for key in keys { observed.didChange(key) } }
        for observer in affected { observer.didChange() }
    }

    /// Notifies the observers of properties that the program has set to the values that they have (R-KVO-07).
    func setAgain(_ keys: [StateKey]) {
        let affected = affectedObservers(keys)
        if !affected.isEmpty { Turn.keep(affected) }
        for observer in affected { observer.wasSetAgain() }
    }

    func add(_ observation: NamedObservation) { named.append(observation) }

    /// Returns the newest of the named observations that satisfy `isWanted`, which are no longer registered; nil if there is none.
    func takeNamed(where isWanted: (NamedObservation) -> Bool) -> NamedObservation? {
        named.lastIndex(where: isWanted).map { named.remove(at: $0) }
    }

    private func affectedObservers(_ keys: [StateKey]) -> [Observer] {
        var result: [Observer] = []
        for key in keys {
            for entry in observers[key] ?? [] {
                guard let observer = entry.observer, !result.contains(where: { $0 === observer }) else { continue }
                result.append(observer)
            }
        }
        return result
    }
}

/// An object whose state belongs to `Turn`.
protocol StateOwner: KeyValueObserving {
    nonisolated var hub: StateHub { get }
    /// Returns the value of an observable property as string-based observing represents it, `NSNull` for nil; nil if there is no such property.
    nonisolated func value(named name: String) -> Any?
    /// The scheduler of the object's player.
    @Turn var scheduler: any MainScheduler { get }
}

extension StateOwner {
    /// Reads a property in a turn, and records the access.
    nonisolated func read<Value>(_ key: StateKey, _ body: @Turn () -> Value) -> Value {
        Turn.perform {
            hub.access(key)
            return body()
        }
    }

    /// Performs a command in a turn.
    nonisolated func turn<Result, Failure: Error>(_ body: @Turn () throws(Failure) -> Result) throws(Failure) -> Result {
        try Turn.perform { () throws(Failure) -> Result in
            Turn.wakeMain(by: scheduler)
            return try body()
        }
    }
}

/// Swift's Observation identifies properties by key paths, so each `StateKey` has one here.
private final class ObservedProperties: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private subscript(key: StateKey) -> StateKey { key }

    func access(_ key: StateKey) { registrar.access(self, keyPath: \.[key]) }
    func willChange(_ key: StateKey) { registrar.willSet(self, keyPath: \.[key]) }
    func didChange(_ key: StateKey) { registrar.didSet(self, keyPath: \.[key]) }
}

extension AVPlayer: Observable {
    /// Whether Swift's Observation tracks players, items and their objects; off by default, and enabled only before the first player (R-OBS-01).
    /// `onChange` is called before a property changes, on the thread that changes it, once per registration (R-OBS-02).
    public nonisolated static var isObservationEnabled: Bool {
        get { Turn.perform { StateHub.isObservationEnabled } }
        set {
            Turn.perform {
                demand(
                    newValue == StateHub.isObservationEnabled || !StateHub.hadPlayers,
                    "R-OBS-01: isObservationEnabled must be set before the first player is created")
                StateHub.isObservationEnabled = newValue
            }
        }
    }
}

extension AVPlayerItem: Observable {}
extension AVPlayerItemTrack: Observable {}
