import CoreMedia
import Platform
import PlaybackEngine

/// The synchronization with the host clock: the goal, and the corrections that remain (R-SYNC-02).
@Turn final class SyncedStart {
    /// The position is `time` at `host`, then advances at `rate`.
    struct Goal {
        var item: ItemID
        var time: CMTime
        var host: HostTime
        var rate: Double

        /// The position in seconds at a host time; before `host` it is `time`.
        func seconds(at moment: HostTime) -> Double { time.seconds + rate * max(0, moment - host) }
    }
    /// The largest tolerated error, in seconds; a smaller difference of two players is not audible as an echo.
    static let tolerance = 0.005
    /// The maximum number of corrections. The first one measures the delay of a correction; on a busy machine, later ones may be late again.
    private static let corrections = 8
    /// The time in seconds after which the position is checked again: some time after its start, a device knows its latency better.
    private static let secondLook = 0.25

    private(set) var goal: Goal?
    private var timer: TurnTimer?
    /// The timer of the command `meetStart`, before a start at a host time.
    private var meeting: TurnTimer?
    private var secondLook: (time: HostTime, timer: TurnTimer)?
    private var correctionsLeft = 0
    /// The time until the corrected audio is heard, in seconds, as measured at the previous correction.
    private var delay = 0.0
    /// Whether a seek that begins now is a correction, not a seek of a caller.
    private(set) var isSeeking = false
    private var deviceStart: HostTime?
    /// The time until audio is heard, in seconds, as measured at the last start of the device.
    private(set) var startLatency = 0.0

    nonisolated init() {}

    func begin(_ goal: Goal) {
        cancel()
        self.goal = goal
        correctionsLeft = Self.corrections
    }

    func wait(for timer: TurnTimer) { self.timer = timer }

    func meet(by timer: TurnTimer) { meeting = timer }

    func release() {
        timer?.cancel()
        timer = nil
    }

    func cancel() {
        release()
        meeting?.cancel()
        meeting = nil
        secondLook?.timer.cancel()
        secondLook = nil
        goal = nil
        delay = 0
    }

    func deviceStarts(at now: HostTime) { deviceStart = now }

    /// Runs `seek`, during which `isSeeking` is true.
    func correct(_ seek: () -> Void) {
        isSeeking = true
        seek()
        isSeeking = false
    }

    /// Returns the target of a correcting seek, in seconds of media time, for the position `time` at `host`; nil if no correction is needed or left.
    /// `lookAgain` schedules another check.
    func correction(at time: Double, _ host: HostTime, now: HostTime, lookAgain: (HostTime) -> TurnTimer) -> Double? {
        if let deviceStart {
            startLatency = min(2, max(0, host - deviceStart))
            self.deviceStart = nil
        }
        guard let goal else { return nil }
        let error = time - goal.seconds(at: host)
        guard abs(error) > Self.tolerance * max(1, abs(goal.rate)) else {
            if let secondLook {
                if now >= secondLook.time { cancel() }
            } else {
                let time = now + Self.secondLook
                secondLook = (time, lookAgain(time))
            }
            return nil
        }
        guard correctionsLeft > 0 else {
            cancel()
            return nil
        }
        // The error is the lateness of the previous correction.
        if correctionsLeft < Self.corrections { delay = min(2, max(0, delay - error / goal.rate)) }
        correctionsLeft -= 1
        return goal.seconds(at: now + delay)
    }
}
