import Observation

/// Every property that can be observed, of any class here.
enum StateKey: Hashable, Sendable {
    case rate, defaultRate, timeControlStatus, reasonForWaitingToPlay, currentItem, status, error, volume, isMuted, actionAtItemEnd
    case automaticallyWaitsToMinimizeStalling, output, items, loudnessNormalization
    case duration, tracks, loadedTimeRanges, seekableTimeRanges, isPlaybackBufferEmpty, isPlaybackBufferFull, isPlaybackLikelyToKeepUp
    case capabilities, mediaInfo, forwardPlaybackEndTime, audioTimePitchAlgorithm
    case category, mode, isActive, isInterrupted
    case reversePlaybackEndTime, timebase, liveOffset, loopCount, loopStatus, loopItems
    case currentRoute, outputVolume, isOtherAudioPlaying, hardware, preferences
}

/// The one primitive that every form of observation is derived from. Each observable object owns one: a getter says `access`, whoever changes
/// something wraps it in `change`.
///
/// What an observed key path depends on is found by reading it once and noting the accesses, as Swift's Observation does; so key paths of
/// subclasses, computed properties and compound paths need no table.
@MainActor final class StateHub {
    /// Something that wants to know when what it read changes.
    @MainActor class Observer {
        /// Before the change, while the old value can still be read.
        func willChange() {}
        /// After the change.
        func didChange() {}
    }
    private struct WeakObserver { weak var observer: Observer? }

    /// Notes the accesses of one evaluation.
    private final class Tracker {
        var accesses: [(hub: StateHub, key: StateKey)] = []
    }
    private static var tracker: Tracker?

    private var observers: [StateKey: [WeakObserver]] = [:]

    /// Whether Swift's Observation is told, too (R-OBS-01).
    static var isObservationEnabled = false
    /// Whether there has been a player in this process.
    static var hadPlayers = false
    /// What it is told of, made when it is first needed.
    private lazy var observed = ObservedProperties()

    /// The class whose properties these are.
    private let owner: any KeyValueObserving.Type

    init(of owner: any KeyValueObserving.Type) { self.owner = owner }

    /// Says that a property is being read, or a method that returns it: `call`, the caller's name.
    func access(_ key: StateKey, _ call: StaticString = #function) {
        demandMainQueue(owner, call)
        Self.tracker?.accesses.append((self, key))
        if Self.isObservationEnabled { observed.access(key) }
    }

    /// Reads something and subscribes `observer`, which is not kept alive, to all that was read.
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

    /// Makes a change of the properties `keys`, and tells their observers in the order of `keys`. Call it for real changes only (R-KVO-07).
    func change(_ keys: [StateKey], _ body: () -> Void) {
        MainTurn.perform {
            let affected = keys.isEmpty ? [] : affectedObservers(keys)
            for observer in affected { observer.willChange() }
            if Self.isObservationEnabled { for key in keys { observed.willChange(key) } }
            body()
            if Self.isObservationEnabled { for key in keys { observed.didChange(key) } }
            for observer in affected { observer.didChange() }
        }
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

/// Stands for the properties of one object in Swift's Observation, which knows properties by key paths.
private final class ObservedProperties: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private subscript(key: StateKey) -> StateKey { key }

    func access(_ key: StateKey) { registrar.access(self, keyPath: \.[key]) }
    func willChange(_ key: StateKey) { registrar.willSet(self, keyPath: \.[key]) }
    func didChange(_ key: StateKey) { registrar.didSet(self, keyPath: \.[key]) }
}
