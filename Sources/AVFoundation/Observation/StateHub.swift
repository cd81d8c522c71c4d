import Observation

/// The identifiers of all observable properties of the classes in the module AVFoundation.
enum StateKey: Hashable, Sendable {
    case rate, defaultRate, timeControlStatus, reasonForWaitingToPlay, currentItem, status, error, volume, isMuted, actionAtItemEnd
    case automaticallyWaitsToMinimizeStalling, output, outputError, outputFormat, items, loudnessNormalization, headroom, outputRates
    case isPositionEstimated
    case duration, tracks, loadedTimeRanges, seekableTimeRanges, isPlaybackBufferEmpty, isPlaybackBufferFull, isPlaybackLikelyToKeepUp
    case connectionWait, seekProgress, timedMetadata, capabilities, mediaInfo, forwardPlaybackEndTime, audioTimePitchAlgorithm
    case category, mode, isActive, isInterrupted
    case reversePlaybackEndTime, loopTimeRange, timebase, liveOffset, loopCount, loopStatus, loopItems
    case currentRoute, outputVolume, isOtherAudioPlaying, hardware, preferences
}

/// The primitive from which all forms of observation are derived. Each observable object owns a `StateHub`: a getter of a property calls `access`,
/// and a change of a property is made inside `change`.
///
/// To find the properties that an observed key path depends on, the hub reads the key path once and records the properties that are read, as Swift's
/// Observation does. Because the hub records the properties that are read, no table is needed for key paths of subclasses, computed properties and
/// compound key paths.
@MainActor final class StateHub {
    /// An observer of properties. The hub notifies the observer when a property changes whose value the observer has read.
    @MainActor class Observer {
        /// Handles the coming change of a property, while the old value can still be read.
        func willChange() {}
        /// Handles the completed change of a property.
        func didChange() {}
    }
    private struct WeakObserver { weak var observer: Observer? }

    /// The record of the properties that one evaluation of a key path has read.
    private final class Tracker {
        var accesses: [(hub: StateHub, key: StateKey)] = []
    }
    private static var tracker: Tracker?

    private var observers: [StateKey: [WeakObserver]] = [:]

    /// Whether hubs also notify Swift's Observation of changes (R-OBS-01).
    static var isObservationEnabled = false
    /// Whether a player has been made in this process.
    static var hadPlayers = false
    /// The object's registrar for Swift's Observation, which is made at the first use.
    private lazy var observed = ObservedProperties()

    /// The class of the observable object.
    private let owner: any KeyValueObserving.Type

    init(of owner: any KeyValueObserving.Type) { self.owner = owner }

    /// Records that a property is read. The parameter `call` is the name of the getter or method that reads the property.
    func access(_ key: StateKey, _ call: StaticString = #function) {
        demandMainQueue(owner, call)
        Self.tracker?.accesses.append((self, key))
        if Self.isObservationEnabled { observed.access(key) }
    }

    /// Evaluates `read`, and subscribes `observer` to all properties that `read` has read. The hub does not keep the observer alive.
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

    /// Changes the values of the properties `keys` by the function `body`, and notifies the observers of these properties in the order of `keys`. The
    /// caller ensures that a value really changes (R-KVO-07).
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

/// The properties of one object for Swift's Observation. Swift's Observation identifies properties by key paths, so each `StateKey` has a key path
/// here.
private final class ObservedProperties: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private subscript(key: StateKey) -> StateKey { key }

    func access(_ key: StateKey) { registrar.access(self, keyPath: \.[key]) }
    func willChange(_ key: StateKey) { registrar.willSet(self, keyPath: \.[key]) }
    func didChange(_ key: StateKey) { registrar.didSet(self, keyPath: \.[key]) }
}
