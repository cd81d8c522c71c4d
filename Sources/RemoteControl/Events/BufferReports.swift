import Platform
import PlaybackEngine
import Player

/// Reports the current item's buffer while at least one client receives `buffer` events. Several changes become one report, so that two reports are
/// at least `shortestInterval` apart.
///
/// A change of the flag `isFull` alone is not reported, because it changes about once a second while a file plays.
@MainActor final class BufferReports {
    static let shortestInterval = 0.25

    private let player: any RemotePlayer
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let publish: @MainActor (BufferState) -> Void
    private var observation: ObservationToken?
    private var timer: (any ScheduledAction)?
    private var isDue = false
    private var latest: (state: BufferState, time: HostTime)?

    init(player: any RemotePlayer, clock: any HostClock, scheduler: any MainScheduler, publish: @escaping @MainActor (BufferState) -> Void) {
        self.player = player
        self.clock = clock
        self.scheduler = scheduler
        self.publish = publish
        observation = player.observeBuffer { [weak self] in self?.didChange() }
    }

    private func didChange() {
        guard !isDue else { return }
        isDue = true
        if let latest, latest.time + Self.shortestInterval > clock.now {
            timer = scheduler.schedule(at: latest.time + Self.shortestInterval) { [weak self] in self?.reportAfterState() }
        } else {
            reportAfterState()
        }
    }

    /// Reports the buffer after the state changes of the present main-actor job, so that clients receive a new item before its buffer.
    private func reportAfterState() {
        timer = nil
        player.afterPublishing { [weak self] in self?.report() }
    }

    private func report() {
        isDue = false
        guard observation != nil, let state = player.buffer else { return }
        if let latest, !Self.isReported(state, after: latest.state) { return }
        latest = (state, clock.now)
        publish(state)
    }

    /// Whether a change of the buffer is reported. It is not if only `isFull` or the start of the range (a stream's heard position) has changed.
    private static func isReported(_ new: BufferState, after former: BufferState) -> Bool {
        var same = former
        same.isFull = new.isFull
        if former.loaded.map(\.end) == new.loaded.map(\.end) { same.loaded = new.loaded }
        return same != new
    }

    func cancel() {
        observation?.cancel()
        observation = nil
        timer?.cancel()
        timer = nil
    }
}
