import Combine
import CoreMedia
public import Foundation
import Platform

// Observing by the names of properties. On Apple's systems the Objective-C runtime does this for every `NSObject`.

/// The keys of the change that `observeValue(forKeyPath:of:change:context:)` gets.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// An `NSNumber` of the raw value of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value, if the option `.new` was given; `NSNull` for nil.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value, if the option `.old` was given; `NSNull` for nil.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// Never present, because all observable properties are single values.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Present, with `NSNumber(value: true)`, in the call before a change (`.prior`).
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// An object that observes properties by their names. ``KeyValueObserver`` is a base class for it. Not in Apple's API, where every `NSObject` is one.
public protocol NSKeyValueObserver: AnyObject {
    /// Called as the closure of `observe(_:options:changeHandler:)` is, on the same threads and in the same order (R-KVO-04). Enumerations are
    /// `NSNumber`s of their raw values, times and ranges `NSValue`s (R-KVO-06).
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?)
}

/// The base class of an object that overrides `observeValue(forKeyPath:of:change:context:)`, in the place of `NSObject` on Apple's systems. Not in
/// Apple's API.
open class KeyValueObserver: NSObject, NSKeyValueObserver {
    /// Does nothing, so that a subclass may pass on what it does not know.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
    ) {}
}

extension KeyValueObserving {
    /// Adds an observer of a property, or of a path such as `"currentItem.status"`, by the names that Apple's properties have in Objective-C; those of
    /// Swift (`"isMuted"`) are known too. An unknown name is a programmer error (R-KVO-10). The object does not keep the observer alive, and does not
    /// call it after its release.
    public func addObserver(
        _ observer: any NSKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        let target = NamedTarget(observer: observer, context: context)
        let token = observation(of: { NamedValue(value: $0.known(keyPath)) }, options, seesEqualValues: true) { object, change in
            var values: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: change.kind.rawValue)]
            if let new = change.newValue { values[.newKey] = new.value }
            if let old = change.oldValue { values[.oldKey] = old.value }
            if change.isPrior { values[.notificationIsPriorKey] = NSNumber(value: true) }
            target.observer?.observeValue(forKeyPath: keyPath, of: object, change: values, context: target.context)
        }
        let observation = NamedObservation(target: target, identity: ObjectIdentifier(observer), keyPath: keyPath, token: token)
        Turn.perform { owner.hub.add(observation) }
    }

    /// Removes the newest registration of the observer for the path. Removing an observer that is not registered is a programmer error (R-KVO-10).
    public func removeObserver(_ observer: any NSKeyValueObserver, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Removes the newest registration of the observer for the path that has this context.
    public func removeObserver(_ observer: any NSKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) {
        let context = UInt(bitPattern: context)
        remove(observer, keyPath) { $0 == context }
    }

    /// Returns the value of a property by its name, as `observeValue` gets it; nil for nil. An unknown name is a programmer error (R-KVO-10).
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// Returns the value at a path of names.
    public func value(forKeyPath keyPath: String) -> Any? {
        let value = known(keyPath)
        return value is NSNull ? nil : value
    }

    private func remove(_ observer: any NSKeyValueObserver, _ keyPath: String, _ hasContext: @Sendable (UInt) -> Bool) {
        let identity = ObjectIdentifier(observer)
        let observation = Turn.perform {
            owner.hub.takeNamed { $0.identity == identity && $0.keyPath == keyPath && hasContext(UInt(bitPattern: $0.target.context)) }
        }
        guard let observation else {
            fatalError("R-KVO-10: the \(type(of: observer)) is not registered as an observer of “\(keyPath)” of this \(type(of: self))")
        }
        observation.token.invalidate()
    }

    private func known(_ keyPath: String) -> Any {
        guard let value = owner.value(atPath: keyPath[...]) else {
            fatalError("R-KVO-10: “\(keyPath)” is no observable property of \(type(of: self))")
        }
        return value
    }

    private var owner: any StateOwner {
        guard let owner = self as? any StateOwner else { fatalError("R-KVO-10: \(type(of: self)) has no observable properties with names") }
        return owner
    }
}

extension StateOwner {
    /// Nil if a name is unknown; `NSNull` if an object on the path is nil.
    fileprivate func value(atPath path: Substring) -> Any? {
        let end = path.firstIndex(of: ".") ?? path.endIndex
        guard let value = value(named: Self.objectiveCName(path[..<end])) else { return nil }
        if end == path.endIndex || value is NSNull { return value }
        return (value as? any StateOwner)?.value(atPath: path[path.index(after: end)...])
    }

    /// The name in Objective-C of a Swift property: `muted` of `isMuted`.
    private static func objectiveCName(_ name: Substring) -> String {
        guard name.hasPrefix("is"), let first = name.dropFirst(2).first, first.isUppercase else { return String(name) }
        return first.lowercased() + name.dropFirst(3)
    }
}

/// The registration of an observer by names.
struct NamedObservation: Sendable {
    let target: NamedTarget
    /// The identity of the observer, which may be gone.
    let identity: ObjectIdentifier
    let keyPath: String
    let token: NSKeyValueObservation
}

/// The observer of a registration, and the context that it gets.
///
/// `@unchecked Sendable`: both are only handed back to the program, whose observer is called on the threads of changes, as on Apple's systems.
final class NamedTarget: @unchecked Sendable {
    private(set) weak var observer: (any NSKeyValueObserver)?
    let context: UnsafeMutableRawPointer?

    init(observer: any NSKeyValueObserver, context: UnsafeMutableRawPointer?) {
        self.observer = observer
        self.context = context
    }
}

/// A value that was read by a name.
private struct NamedValue: Equatable {
    let value: Any

    /// Objects of Foundation are equal as such; errors and other values never are, so that each change is notified.
    static func == (a: NamedValue, b: NamedValue) -> Bool {
        guard let a = a.value as? NSObject, let b = b.value as? NSObject else { return false }
        return a == b
    }
}

// MARK: The names

extension AVPlayer {
    nonisolated func value(named name: String) -> Any? {
        switch name {
        case "status": NSNumber(value: status.rawValue)
        case "error": error ?? NSNull()
        case "currentItem": currentItem ?? NSNull()
        case "rate": NSNumber(value: rate)
        case "defaultRate": NSNumber(value: defaultRate)
        case "timeControlStatus": NSNumber(value: timeControlStatus.rawValue)
        case "reasonForWaitingToPlay": reasonForWaitingToPlay?.rawValue ?? NSNull()
        case "volume": NSNumber(value: volume)
        case "muted": NSNumber(value: isMuted)
        case "actionAtItemEnd": NSNumber(value: actionAtItemEnd.rawValue)
        case "automaticallyWaitsToMinimizeStalling": NSNumber(value: automaticallyWaitsToMinimizeStalling)
        default: nil
        }
    }
}

extension AVPlayerItem {
    nonisolated func value(named name: String) -> Any? {
        switch name {
        case "status": NSNumber(value: status.rawValue)
        case "error": error ?? NSNull()
        case "asset": asset
        case "duration": NSValue(time: duration)
        case "tracks": tracks
        case "loadedTimeRanges": loadedTimeRanges.map { NSValue(timeRange: $0) }
        case "seekableTimeRanges": seekableTimeRanges.map { NSValue(timeRange: $0) }
        case "playbackBufferEmpty": NSNumber(value: isPlaybackBufferEmpty)
        case "playbackBufferFull": NSNumber(value: isPlaybackBufferFull)
        case "playbackLikelyToKeepUp": NSNumber(value: isPlaybackLikelyToKeepUp)
        case "timedMetadata": timedMetadata ?? NSNull()
        case "forwardPlaybackEndTime": NSValue(time: forwardPlaybackEndTime)
        case "reversePlaybackEndTime": NSValue(time: reversePlaybackEndTime)
        case "audioTimePitchAlgorithm": audioTimePitchAlgorithm.rawValue
        default: nil
        }
    }
}

extension AVPlayerLooper {
    nonisolated func value(named name: String) -> Any? {
        switch name {
        case "status": NSNumber(value: status.rawValue)
        case "error": error ?? NSNull()
        case "loopCount": NSNumber(value: loopCount)
        case "loopingPlayerItems": loopingPlayerItems
        default: nil
        }
    }
}

extension AVAudioSession {
    func value(named name: String) -> Any? {
        switch name {
        case "category": category.rawValue
        case "mode": mode.rawValue
        case "currentRoute": currentRoute
        case "outputVolume": NSNumber(value: outputVolume)
        case "sampleRate": NSNumber(value: sampleRate)
        default: nil
        }
    }
}
