import Dispatch
import PlaybackEngine
import Synchronization

/// The states of an asset's keys, as a value. One opening of the medium serves all keys, but `timingKeys` may need another opening. Each key has its
/// own status (R-ASSET-15, R-KEY-01).
struct AssetKeys {
    enum KeyState: Hashable {
        case loading, loaded, cancelled
        case failed(PlaybackError)
        var isTerminal: Bool { self != .loading }
    }
    struct Waiter {
        var keys: Set<String>
        var resume: @Sendable () -> Void
    }

    /// The keys that need the exact duration if the asset prefers precise timing. After an opening by an item without the exact duration, they stay
    /// `loading`, and the loader opens the medium itself.
    static let timingKeys: Set<String> = ["duration", "providesPreciseDurationAndTiming"]

    private(set) var states: [String: KeyState] = [:]
    private(set) var info: MediaInfo?
    /// Whether `info` has the duration that `timingKeys` need.
    private var hasTiming = false
    private var failure: PlaybackError?
    private var waiters: [Waiter] = []
    /// The number of items that are opening the medium.
    private var itemOpens = 0
    private(set) var isOpening = false

    /// Whether the loader has to open the medium itself now.
    var needsOpen: Bool { !isOpening && itemOpens == 0 && states.values.contains(.loading) }

    func value(for key: String) -> MediaInfo? { states[key] == .loaded ? info : nil }

    /// Requests keys, and returns the closures to call now. `resume` is among them if nothing has to be loaded (R-KEY-05), otherwise it is
    /// stored (R-KEY-04).
    mutating func request(_ keys: [String], resume: (@Sendable () -> Void)?) -> [@Sendable () -> Void] {
        for key in keys where states[key] == nil { states[key] = settled(key) ?? .loading }
        if let resume { waiters.append(Waiter(keys: Set(keys), resume: resume)) }
        return takeReadyWaiters()
    }

    private func settled(_ key: String) -> KeyState? {
        if let failure { return .failed(failure) }
        guard info != nil, hasTiming || !Self.timingKeys.contains(key) else { return nil }
        return .loaded
    }

    mutating func openBegan() { isOpening = true }
    mutating func itemOpenBegan() { itemOpens += 1 }
    /// Called when an item was removed before it reported a result.
    mutating func itemOpenAbandoned() { itemOpens = max(0, itemOpens - 1) }

    /// Stores the description of the opened medium. The first description stays valid (R-ASSET-02); only its duration is replaced, by the first one
    /// that is good enough for `timingKeys`.
    mutating func opened(_ found: MediaInfo, hasTiming timing: Bool, ofItem: Bool) -> [@Sendable () -> Void] {
        if ofItem { itemOpenAbandoned() } else { isOpening = false }
        if info == nil { info = found } else if timing, !hasTiming { info?.duration = found.duration }
        hasTiming = hasTiming || timing
        for (key, state) in states where state == .loading { states[key] = settled(key) ?? .loading }
        return takeReadyWaiters()
    }

    mutating func failed(_ error: PlaybackError, ofItem: Bool) -> [@Sendable () -> Void] {
        if ofItem { itemOpenAbandoned() } else { isOpening = false }
        if info == nil { failure = error }
        for (key, state) in states where state == .loading { states[key] = .failed(error) }
        return takeReadyWaiters()
    }

    /// Cancels the keys that are loading. Keys that are loaded, failed or cancelled keep their state (R-KEY-10).
    mutating func cancel() -> [@Sendable () -> Void] {
        isOpening = false
        for (key, state) in states where state == .loading { states[key] = .cancelled }
        return takeReadyWaiters()
    }

    private mutating func takeReadyWaiters() -> [@Sendable () -> Void] {
        var ready: [@Sendable () -> Void] = []
        waiters.removeAll { waiter in
            guard waiter.keys.allSatisfy({ states[$0]?.isTerminal == true }) else { return false }
            ready.append(waiter.resume)
            return true
        }
        return ready
    }
}

/// Loads the keys of an asset: opens the medium on a background queue, or waits for the opening by a player's item.
final class AssetLoader: Sendable {
    private struct State {
        var keys = AssetKeys()
        var interrupt: Interrupt?
    }
    private let state = Mutex(State())
    private let source: MediaSource?
    private let failure: PlaybackError?
    private let environment: @Sendable () -> PlaybackEnvironment

    /// - Parameter source: Nil if the medium can never be opened, because of `failure`.
    init(source: MediaSource?, failure: PlaybackError?, environment: @escaping @Sendable () -> PlaybackEnvironment) {
        self.source = source
        self.failure = failure
        self.environment = environment
    }

    deinit { state.withLock { $0.interrupt }?.raise() }

    func state(of key: String) -> AssetKeys.KeyState? { state.withLock { $0.keys.states[key] } }
    func value(for key: String) -> MediaInfo? { state.withLock { $0.keys.value(for: key) } }

    /// `completion` is called once: before the return if nothing has to be loaded, otherwise later, on any thread; never inside a turn.
    func load(_ keys: [String], completion: (@Sendable () -> Void)?) {
        change { $0.request(keys, resume: completion) }
    }

    func cancel() {
        let interrupt = state.withLock { state in
            defer { state.interrupt = nil }
            return state.interrupt
        }
        interrupt?.raise()
        change { $0.cancel() }
    }

    // MARK: An open by an item

    /// Called when the engine begins to open an item's medium: the keys are `loading` until it has opened the medium or failed.
    func itemOpenBegan(_ keys: [String]) {
        change { state in
            state.itemOpenBegan()
            return state.request(keys, resume: nil)
        }
    }
    func itemOpened(_ info: MediaInfo, hasTiming: Bool) { change { $0.opened(info, hasTiming: hasTiming, ofItem: true) } }
    func itemFailed(_ error: PlaybackError) { change { $0.failed(error, ofItem: true) } }
    func itemOpenAbandoned() {
        change { state in
            state.itemOpenAbandoned()
            return []
        }
    }

    // MARK: An open by the loader

    private func change(_ body: (inout AssetKeys) -> [@Sendable () -> Void]) {
        let (ready, begin) = state.withLock { state -> ([@Sendable () -> Void], Interrupt?) in
            let ready = body(&state.keys)
            guard state.keys.needsOpen else { return (ready, nil) }
            state.keys.openBegan()
            let interrupt = Interrupt()
            state.interrupt = interrupt
            return (ready, interrupt)
        }
        for resume in ready { Turn.afterwards(resume) }
        if let begin { open(begin) }
    }

    private func open(_ interrupt: Interrupt) {
        guard let source else {
            // R-KEY-05: the error is known immediately.
            return finish(interrupt) {
                $0.failed(self.failure ?? PlaybackError(.unknown, "The asset has no media that can be opened."), ofItem: false)
            }
        }
        let opener = environment().opener
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in
            do throws(PlaybackError) {
                let reader = try opener.open(source, interrupt: interrupt)
                var info = reader.info
                info.duration = reader.duration
                self?.finish(interrupt) { $0.opened(info, hasTiming: true, ofItem: false) }
            } catch {
                self?.finish(interrupt) { $0.failed(error, ofItem: false) }
            }
        }
    }

    /// Applies the result of an opening to the keys, unless the opening was cancelled.
    private func finish(_ interrupt: Interrupt, _ body: (inout AssetKeys) -> [@Sendable () -> Void]) {
        change { keys in interrupt.isRaised ? [] : body(&keys) }
    }
}
