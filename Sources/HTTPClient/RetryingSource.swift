import Platform
import PlaybackEngine

/// A byte source whose failed calls can be repeated: the repeated call continues at the same byte.
protocol RetriedSource: ByteSource {
    /// Opens the medium. `open` is called before any other function, and again after it has failed.
    func open() throws(PlaybackError)
    /// The waiting time that the server has requested with its last response, in seconds; nil if there is none.
    var requestedDelay: Double? { get }
}

/// A byte source that repeats failed transfers by a `RetryPolicy`, so that the reader of the medium only waits. Each wait is reported to the monitor
/// of the connection, except the wait after a first attempt that failed within `silentTime`.
final class RetryingSource: ByteSource {
    private let base: any RetriedSource
    private let policy: RetryPolicy
    private let monitor: ConnectionMonitor?
    private let clock: any HostClock
    /// Waits until a host time; returns false after an interrupt.
    private let wait: (HostTime) -> Bool
    /// The host time of the first attempt to open the medium; nil if a player opened the medium before it was needed.
    private var openingBegan: HostTime?
    private var hasStarted = false
    /// Whether the source is a later part of a medium that plays.
    private let isContinuation: Bool
    /// Whether the source is a part of a live stream, whose server is awaited for any time.
    private let isPartOfLive: Bool

    /// Opens the medium. Blocks until it is open, the policy gives up, or an interrupt.
    ///
    /// - Parameter isContinuation: Whether the source is a later part of a medium that plays: its opening is retried as long as the reading of a
    ///   medium, except if the server does not have the part.
    /// - Parameter isPartOfLive: Whether the medium is a live stream of such parts.
    init(
        _ base: any RetriedSource, policy: RetryPolicy, monitor: ConnectionMonitor?, isContinuation: Bool = false, isPartOfLive: Bool = false,
        clock: any HostClock, wait: @escaping (HostTime) -> Bool
    ) throws(PlaybackError) {
        self.isContinuation = isContinuation
        self.isPartOfLive = isPartOfLive
        self.base = base
        self.policy = policy
        self.monitor = monitor
        self.clock = clock
        self.wait = wait
        if !isContinuation, monitor?.neededSince != nil || monitor == nil { openingBegan = clock.now }
        try retrying { () throws(PlaybackError) in try base.open() }
        hasStarted = true
    }

    var offset: Int64 { base.offset }
    var length: Int64? { base.length }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { base.isSeekable }
    var isLive: Bool { base.isLive }
    var readThroughLimit: Int64 { base.readThroughLimit }
    func setNeeded(_ range: Range<Int64>?) { base.setNeeded(range) }
    func observeSkipped(_ observer: @escaping (UnsafeRawBufferPointer, Int64) -> Void) { base.observeSkipped(observer) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        try retrying { () throws(PlaybackError) in try base.read(into: buffer) }
    }

    func seek(to offset: Int64) throws(PlaybackError) { try base.seek(to: offset) }

    /// Repeats `work` until it succeeds, until the policy gives up, or until an interrupt.
    private func retrying<Result>(_ work: () throws(PlaybackError) -> Result) throws(PlaybackError) -> Result {
        let began = clock.now
        var attempt = 0
        defer { if attempt > 0 { monitor?.setWait(nil) } }
        while true {
            do throws(PlaybackError) { return try work() } catch {
                if error.code == .cancelled { throw error }
                attempt += 1
                let now = clock.now
                if isGone(error, attempt, failing: now - began) { throw error }
                guard case .retry(let delay) = policy.decide(situation(error, attempt, since: began, now: now)) else { throw error }
                let next = now + delay
                // A first attempt that failed quickly is not reported, because the next attempt often succeeds at once.
                if attempt > 1 || now - began >= RetryingSource.silentTime {
                    monitor?.setWait(ConnectionMonitor.Wait(error: error, attempt: attempt, retryTime: next))
                }
                guard wait(next) else { throw .cancelled }
            }
        }
    }

    /// Whether a server that answers no longer has the part of a live stream, or does not yet have it after a moment: a playlist may name a segment
    /// that reaches the server, or its caches, later. Some servers refuse access to what they do not have.
    private func isGone(_ error: PlaybackError, _ attempt: Int, failing: Double) -> Bool {
        guard isPartOfLive, hasStarted || isContinuation, case .status(let status) = RetryPolicy.Failure(error) else { return false }
        return [403, 404, 410].contains(status) ? attempt > RetryingSource.lateAttempts : failing >= RetryingSource.longestRefusal
    }

    /// The number of attempts for which a part of a live stream that the server does not have may be late.
    private static let lateAttempts = 3
    /// The time after which a part of a live stream that the server answers with another error is given up, in seconds.
    private static let longestRefusal = 10.0
    /// The duration of the first attempt, in seconds, from which on its failure is reported.
    private static let silentTime = 1.0

    private func situation(_ error: PlaybackError, _ attempt: Int, since began: HostTime, now: HostTime) -> RetryPolicy.Situation {
        let failure = RetryPolicy.Failure(error)
        let isMissing = !isPartOfLive && [.status(404), .status(410)].contains(failure)
        var situation = RetryPolicy.Situation(failure, attempt: attempt, hasStarted: hasStarted || isContinuation && !isMissing)
        situation.isLive = base.isLive || isPartOfLive
        // What a live stream misses meanwhile is longer than the part.
        situation.requestedDelay = base.requestedDelay.map { isPartOfLive ? min($0, RetryingSource.longestRefusal) : $0 }
        situation.opening = openingBegan.map { now - $0 }
        // The waiting time counts from the last received byte, so that a server that is slow but alive does not use up the patience.
        let failing = now - began
        situation.starved = if let monitor { monitor.neededSince.map { min(failing, max(0, now - $0)) } } else { failing }
        return situation
    }
}
