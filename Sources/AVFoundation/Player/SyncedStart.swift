import CoreMedia
import Platform
import PlaybackEngine

/// The synchronization of playback with the host clock (R-SYNC-02): the requested position and host time, and the number of corrections that remain.
@MainActor final class SyncedStart {
    /// The goal of a synchronized start: the item's position is `time` at the host time `host`, and advances at `rate` after `host`.
    struct Goal {
        var item: ItemID
        var time: CMTime
        var host: HostTime
        var rate: Double

        /// Returns the item's goal position at a host time, in seconds. Before the host time `host`, the goal position is `time`.
        func seconds(at moment: HostTime) -> Double { time.seconds + rate * max(0, moment - host) }
    }
    /// The accepted error of the position, in seconds. A smaller difference between two synchronized players is not audible as an echo.
    static let tolerance = 0.005
    /// The maximum number of corrections of the position. The first correction measures the delay of a correction. The audio after a further
    /// correction may be late again on a busy machine.
    private static let corrections = 8
    /// The time after which the position is checked again, in seconds. Some time after its start, a device knows its latency more exactly.
    private static let secondLook = 0.25

    private(set) var goal: Goal?
    private var action: (any ScheduledAction)?
    /// The scheduled measurement of the device's clock before a start at a host time; nil if no measurement is scheduled.
    private var meeting: (any ScheduledAction)?
    private var secondLook: (time: HostTime, action: any ScheduledAction)?
    private var correctionsLeft = 0
    /// The time from the start of a correction until audio at the corrected position is heard, in seconds, measured at the previous correction.
    private var delay = 0.0
    /// Whether the player is now beginning a seek that corrects the position, and not a seek that a caller has requested.
    private(set) var isSeeking = false
    private var deviceStart: HostTime?
    /// The time from the start of the device until audio is heard, in seconds, measured at the last start of the device.
    private(set) var startLatency = 0.0

    func begin(_ goal: Goal) {
        cancel()
        self.goal = goal
        correctionsLeft = Self.corrections
    }

    func wait(for action: any ScheduledAction) { self.action = action }

    func meet(by action: any ScheduledAction) { meeting = action }

    /// Cancels the scheduled start of playback.
    func release() {
        action?.cancel()
        action = nil
    }

    /// Ends the synchronization with the host clock.
    func cancel() {
        release()
        meeting?.cancel()
        meeting = nil
        secondLook?.action.cancel()
        secondLook = nil
        goal = nil
        delay = 0
    }

    func deviceStarts(at now: HostTime) { deviceStart = now }

    /// Calls `seek`, which begins the seek that corrects the position. While `seek` runs, the property `isSeeking` is true.
    func correct(_ seek: () -> Void) {
        isSeeking = true
        seek()
        isSeeking = false
    }

    /// Checks the measured position of the item, which is `time` (in seconds) at the host time `host`. If the error of the position is too large,
    /// returns the target of a correcting seek, in seconds of media time; otherwise nil.
    ///
    /// - Parameter lookAgain: The function that schedules another check of the position at a host time.
    func correction(at time: Double, _ host: HostTime, now: HostTime, lookAgain: (HostTime) -> any ScheduledAction) -> Double? {
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
        // The time by which the audio was late after the previous correction (`-error / goal.rate`) is added to the delay, so that the next
        // correction compensates it. Early audio makes the delay shorter.
        if correctionsLeft < Self.corrections { delay = min(2, max(0, delay - error / goal.rate)) }
        correctionsLeft -= 1
        return goal.seconds(at: now + delay)
    }
}
