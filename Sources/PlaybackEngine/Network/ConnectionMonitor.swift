public import Platform
import Synchronization

/// The state of the connection to a remote medium. The transferring thread reports its waits, and the bytes that the reader has not read. The player
/// states whether it needs the medium. Any thread may use the monitor.
public final class ConnectionMonitor: Sendable, Hashable {
    /// The wait for the next attempt to reach the server.
    public struct Wait: Sendable, Hashable {
        public var error: PlaybackError
        /// The number of failed attempts since the last byte.
        public var attempt: Int
        public var retryTime: HostTime
        public init(error: PlaybackError, attempt: Int, retryTime: HostTime) {
            self.error = error
            self.attempt = attempt
            self.retryTime = retryTime
        }
    }

    /// The bytes that were transferred and not read.
    public struct Reserve: Sendable, Hashable {
        /// The number of transferred bytes from the reader's offset on.
        public var ahead: Int64
        /// The number of bytes after these; nil if the length is unknown.
        public var missing: Int64?
        /// The length of the medium, in bytes.
        public var length: Int64?
        /// Whether the transfer has paused, because the reserve has reached its capacity.
        public var isFull: Bool
        public init(ahead: Int64, missing: Int64?, length: Int64?, isFull: Bool) {
            self.ahead = ahead
            self.missing = missing
            self.length = length
            self.isFull = isFull
        }
        public var isComplete: Bool { missing == 0 }
    }

    private struct State {
        var wait: Wait?
        var neededSince: HostTime?
        var isCurrent = false
        var capacity: Int64?
        var reserve: Reserve?
        var waitChanged: (@Sendable () -> Void)?
        var reserveChanged: (@Sendable () -> Void)?
        var demandChanged: (@Sendable () -> Void)?
        var released: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    public init() {}

    // MARK: The transferring thread

    /// The present wait; nil while the transfer works, or pauses because the reserve is full.
    public var wait: Wait? { state.withLock { $0.wait } }
    /// Sets the wait, and notifies the observer if it has changed.
    public func setWait(_ wait: Wait?) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.wait != wait else { return nil }
            state.wait = wait
            return state.waitChanged
        }
        observer?()
    }

    public var reserve: Reserve? { state.withLock { $0.reserve } }
    public func setReserve(_ reserve: Reserve?, notifies: Bool) {
        let observer = state.withLock { state in
            state.reserve = reserve
            return notifies ? state.reserveChanged : nil
        }
        observer?()
    }

    // MARK: The player

    /// The time since when the player needs the medium and has nothing of it buffered; nil otherwise.
    public var neededSince: HostTime? { state.withLock { $0.neededSince } }
    /// Whether the medium belongs to the current item; media of other items have a small reserve.
    public var isCurrent: Bool { state.withLock { $0.isCurrent } }
    /// The capacity of the reserve that the player prefers, in bytes; nil if it has no preference.
    public var capacity: Int64? { state.withLock { $0.capacity } }

    /// Sets the player's demand for the medium. `neededSince` becomes `now` if the medium was not needed before, and nil if it is not needed.
    public func setDemand(isCurrent: Bool, isNeeded: Bool, now: HostTime) {
        let observer = state.withLock { state in
            let changed = state.isCurrent != isCurrent
            state.isCurrent = isCurrent
            state.neededSince = isNeeded ? state.neededSince ?? now : nil
            return changed ? state.demandChanged : nil
        }
        observer?()
    }

    /// Sets the preferred capacity of the reserve, in bytes.
    public func setCapacity(_ capacity: Int64?) {
        let observer = state.withLock { state in
            defer { state.capacity = capacity }
            return state.capacity != capacity ? state.demandChanged : nil
        }
        observer?()
    }

    /// Closes the connection; the medium must be opened again to read on.
    public func release() { state.withLock { $0.released }?() }

    // MARK: Observers

    /// Sets the function that is called on the transferring thread when the wait changes.
    public func observeWait(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.waitChanged = observer } }
    /// Sets the function that is called on the transferring thread when the reserve changes.
    public func observeReserve(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.reserveChanged = observer } }
    /// Sets the function that closes the connection. It is called on any thread.
    public func observeRelease(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.released = observer } }
    /// Sets the function that is called, on any thread, when the demand or the capacity changes.
    public func observeDemand(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.demandChanged = observer } }

    public static func == (a: ConnectionMonitor, b: ConnectionMonitor) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
