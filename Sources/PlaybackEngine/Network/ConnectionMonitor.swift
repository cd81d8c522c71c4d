public import Platform
import Synchronization

/// The state of the connection to a remote medium, shared by the thread that transfers the medium and the player.
///
/// The transferring thread reports its waits for the server, and the number of transferred bytes that the reader has not read yet. The player states
/// whether it needs the medium now. Any thread may use a `ConnectionMonitor`.
public final class ConnectionMonitor: Sendable, Hashable {
    /// A wait for the next attempt to reach the server.
    public struct Wait: Sendable, Hashable {
        /// The error of the last attempt.
        public var error: PlaybackError
        /// The number of attempts that have failed since the last byte arrived.
        public var attempt: Int
        /// The host time at which the next attempt begins.
        public var retryTime: HostTime
        public init(error: PlaybackError, attempt: Int, retryTime: HostTime) {
            self.error = error
            self.attempt = attempt
            self.retryTime = retryTime
        }
    }

    /// The transferred bytes of the medium that the reader has not read (the reserve).
    public struct Reserve: Sendable, Hashable {
        /// The number of bytes from the reader's offset on that were transferred.
        public var ahead: Int64
        /// The number of bytes after these that have not been transferred; nil if the length of the medium is unknown.
        public var missing: Int64?
        /// The length of the medium, in bytes; nil if it is unknown.
        public var length: Int64?
        /// Whether the transfer has paused, because the reserve is at its capacity.
        public var isFull: Bool
        public init(ahead: Int64, missing: Int64?, length: Int64?, isFull: Bool) {
            self.ahead = ahead
            self.missing = missing
            self.length = length
            self.isFull = isFull
        }
        /// Whether all bytes up to the end of the medium were transferred.
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

    /// The present wait for the server; nil while the transfer works, or pauses because the reserve is full.
    public var wait: Wait? { state.withLock { $0.wait } }
    /// Records the present wait for the server, and notifies the observer of waits if the wait has changed.
    public func setWait(_ wait: Wait?) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.wait != wait else { return nil }
            state.wait = wait
            return state.waitChanged
        }
        observer?()
    }

    /// The last reported reserve; nil if the medium has none.
    public var reserve: Reserve? { state.withLock { $0.reserve } }
    /// Records the reserve.
    ///
    /// - Parameter notifies: Whether the observer of the reserve is notified.
    public func setReserve(_ reserve: Reserve?, notifies: Bool) {
        let observer = state.withLock { state in
            state.reserve = reserve
            return notifies ? state.reserveChanged : nil
        }
        observer?()
    }

    // MARK: The player

    /// The host time since which the player needs the medium and has no buffered audio of it left; nil if buffered audio is left, or if the medium is
    /// not needed yet.
    public var neededSince: HostTime? { state.withLock { $0.neededSince } }
    /// Whether the medium is that of the current item. Media of other items have a small reserve.
    public var isCurrent: Bool { state.withLock { $0.isCurrent } }
    /// The capacity of the reserve that the player prefers, in bytes; nil if it has no preference.
    public var capacity: Int64? { state.withLock { $0.capacity } }

    /// Records whether the medium is that of the current item, and whether it is needed now. If the medium was not needed before and is needed now,
    /// `neededSince` becomes `now`. If it is not needed, `neededSince` becomes nil.
    public func setDemand(isCurrent: Bool, isNeeded: Bool, now: HostTime) {
        let observer = state.withLock { state in
            let changed = state.isCurrent != isCurrent
            state.isCurrent = isCurrent
            state.neededSince = isNeeded ? state.neededSince ?? now : nil
            return changed ? state.demandChanged : nil
        }
        observer?()
    }

    /// Records the capacity of the reserve that the player prefers, in bytes.
    public func setCapacity(_ capacity: Int64?) {
        let observer = state.withLock { state in
            defer { state.capacity = capacity }
            return state.capacity != capacity ? state.demandChanged : nil
        }
        observer?()
    }

    /// Ends the transfer and closes the connection. The medium must be opened again before more of it can be read.
    public func release() { state.withLock { $0.released }?() }

    // MARK: Observers

    /// Sets the function that is called on the transferring thread after each change of `wait`.
    public func observeWait(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.waitChanged = observer } }
    /// Sets the function that is called on the transferring thread after changes of the reserve.
    public func observeReserve(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.reserveChanged = observer } }
    /// Sets the function that is called, on any thread, to end the transfer.
    public func observeRelease(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.released = observer } }
    /// Sets the function that is called, on any thread, after the player's demand has changed.
    public func observeDemand(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.demandChanged = observer } }

    /// Whether two monitors are the same object.
    public static func == (a: ConnectionMonitor, b: ConnectionMonitor) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
